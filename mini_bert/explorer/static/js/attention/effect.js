// What changes in the answers: the best words before and after, for each hidden piece.

import { clear, h, percent } from "../dom.js";
import { bars } from "../draw/bars.js";
import { ordinal, pieceName, points } from "./naming.js";

const MOST_PLACES = 6;
const MOVED = 3; // of a text in which nothing is hidden, the pieces that changed most

export function effectPanel(host) {
  const body = h("div", { class: "stack" });
  host.append(h("section", { class: "panel", "data-test": "effect" }, h("h2", {}, "What the model says"), body));

  function update(answer, edits) {
    const isChanged = edits.length > 0;
    const isWhole = answer.places.some(({ why }) => why === "itself" || why === "next");
    const shown = isWhole ? mostMoved(answer.places) : answer.places.slice(0, MOST_PLACES);
    clear(
      body,
      isWhole &&
        h(
          "p",
          { class: "note" },
          isChanged
            ? `Nothing is hidden. These ${shown.length} pieces changed most.`
            : "Hide a piece above (the eye beside it), or write [MASK], to see what the heads do for the answer.",
        ),
      !isWhole &&
        !isChanged &&
        h("p", { class: "note" }, "Change a head, and see here at once what becomes of the answer."),
      (isWhole && !isChanged ? [] : shown).map((one) => place(one, answer.pieces, isChanged)),
      !isWhole &&
        answer.places.length > shown.length &&
        h("p", { class: "note" }, `The first ${shown.length} of ${answer.places.length} places are shown.`),
    );
  }

  function fail(text) {
    clear(body, h("p", { class: "note" }, text));
  }

  return { update, fail };
}

const mostMoved = (places) =>
  [...places]
    .sort(
      (a, b) =>
        Math.abs(b.after.probability - b.before.probability) - Math.abs(a.after.probability - a.before.probability),
    )
    .slice(0, MOVED);

function place(one, pieces, isChanged) {
  const { before, after, answer, why } = one;
  const change = after.probability - before.probability;
  const head = h(
    "p",
    {
      class: "effect-line",
      "data-test": "effect-line",
      "data-place": one.place,
      "data-before": before.probability,
      "data-after": after.probability,
    },
    h("span", {}, why === "class" ? "" : `${pieceName(pieces, one.place)}, place ${one.place}: `),
    h("b", {}, answer.word),
    ` ${percent(before.probability)}`,
    isChanged && [
      " → ",
      h("b", { class: "number" }, percent(after.probability)),
      h("span", { class: change < 0 ? "bad" : "good" }, ` ${points(change)}`),
    ],
    h(
      "span",
      { class: "note" },
      `, ${ordinal(before.rank)}`,
      isChanged && after.rank !== before.rank && ` → ${ordinal(after.rank)}`,
    ),
  );
  const most = Math.max(before.words[0]?.probability ?? 0, after.words[0]?.probability ?? 0);
  return h(
    "div",
    {},
    head,
    h(
      "div",
      { class: "effect-sides" },
      side(isChanged ? "as it is" : null, before, answer, most, "before"),
      isChanged && side("with your changes", after, answer, most, "after"),
    ),
  );
}

function side(name, { words }, answer, most, test) {
  const host = h("div", {}, name && h("h3", {}, name));
  bars(host, {
    labels: words.map(({ word, token }) => (token === answer.token ? h("b", {}, word) : word)),
    values: words.map(({ probability }) => probability),
    most,
    format: percent,
    test: `effect-${test}`,
  });
  return host;
}
