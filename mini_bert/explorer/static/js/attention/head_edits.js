// Changing a head: buttons for the picked one, and the changes in force as chips.

import { clear, give, h } from "../dom.js";
import { editName, headName, pieceName } from "./naming.js";

const ALL = "all";

/**
 * onEdits(edits): the changes that shall be in force. onAim(on): whether a click in the map says who looks where.
 * isKept(edits): whether a page that was saved as a file (isFile) knows what they do; it knows of few.
 */
export function headEdits(host, { onEdits, onAim, isFile, isKept }) {
  const title = h("h2", {});
  const actions = h(
    "div",
    { class: "row" },
    action("off", "Switch it off", "It writes nothing: zeros for every piece."),
    action("mean", "Only its mean", "Every piece gets the mean of what it writes over the text."),
    action("even", "Look evenly", "Every piece looks at all pieces alike."),
  );
  const who = h("select", { "aria-label": "Who looks", "data-test": "look-query" });
  const at = h("select", { "aria-label": "At what", "data-test": "look-key" });
  const look = h("button", { type: "button", class: "button", "data-test": "edit-look", onclick: lookThere }, "Do it");
  const aim = h(
    "button",
    { type: "button", class: "button", "data-test": "aim", onclick: () => onAim(!isAiming) },
    "Choose in the map",
  );
  const chips = h("div", { class: "row edits-chips" });
  host.append(
    h(
      "section",
      { class: "panel" },
      title,
      isFile &&
        h(
          "p",
          { class: "note" },
          "This page was saved as a file: it holds no passes with changed heads but those it was saved with. " +
            "Start mini-bert explore to change them.",
        ),
      actions,
      h("div", { class: "row look-row" }, h("span", {}, "Make"), who, h("span", {}, "look only at"), at, look, aim),
      chips,
    ),
  );
  let current = { edits: [], layer: 0, head: 0, pieces: [] };
  let isAiming = false;

  function action(kind, label, why) {
    return h(
      "button",
      {
        type: "button",
        class: "button",
        "data-test": `edit-${kind}`,
        "data-kind": kind,
        title: why,
        onclick: () => toggle(kind),
      },
      label,
    );
  }

  const isOfHead = ({ layer, head }) => layer === current.layer && head === current.head;
  const others = () => (isFile ? [] : current.edits.filter((edit) => !isOfHead(edit)));

  function toggle(kind) {
    onEdits(after(kind));
  }

  /** The changes in force after its button is pressed. */
  function after(kind) {
    const is = current.edits.some((edit) => isOfHead(edit) && edit.kind === kind);
    return is ? others() : [...others(), { layer: current.layer, head: current.head, kind, query: null, key: null }];
  }

  /** Other pieces of the head may be told already where to look; the same one is told anew. */
  function lookAt(query, key) {
    const kept = current.edits.filter(
      (edit) => !isOfHead(edit) || (edit.kind === "look" && query !== null && edit.query !== query),
    );
    onEdits([...kept, { layer: current.layer, head: current.head, kind: "look", query, key }]);
  }

  function lookThere() {
    lookAt(who.value === ALL ? null : Number(who.value), Number(at.value));
  }

  function update({ edits, layer, head, pieces, aiming }) {
    const isNew = String(pieces) !== String(current.pieces);
    current = { edits, layer, head, pieces };
    isAiming = aiming;
    title.textContent = `Change ${headName({ layer, head })}`;
    for (const button of actions.children) {
      give(button, "aria-pressed", String(edits.some((edit) => isOfHead(edit) && edit.kind === button.dataset.kind)));
      give(button, "disabled", isFile && !isKept(after(button.dataset.kind)));
    }
    if (isNew) {
      const names = pieces.map((_, i) => [i, pieceName(pieces, i)]);
      options(who, [[ALL, "every piece"], ...names]);
      options(at, names);
    }
    for (const one of [who, at, look, aim]) give(one, "disabled", isFile);
    give(aim, "aria-pressed", String(aiming));
    aim.textContent = aiming ? "Now click a cell: row looks at column" : "Choose in the map";
    clear(
      chips,
      edits.map((edit, i) =>
        h(
          "span",
          { class: "chip chosen", "data-test": "edit-chip" },
          editName(edit, pieces),
          h(
            "button",
            {
              type: "button",
              class: "chip-x",
              "aria-label": `Undo ${editName(edit, pieces)}`,
              title: "undo",
              onclick: () => onEdits(edits.filter((_, j) => j !== i)),
            },
            "×",
          ),
        ),
      ),
      edits.length > 1 &&
        h(
          "button",
          { type: "button", class: "button quiet", "data-test": "undo-all", onclick: () => onEdits([]) },
          "Undo all",
        ),
    );
  }

  return { update, lookAt };
}

function options(select, entries) {
  const before = select.value;
  clear(
    select,
    entries.map(([value, label]) => h("option", { value }, label)),
  );
  if (entries.some(([value]) => String(value) === before)) select.value = before;
}
