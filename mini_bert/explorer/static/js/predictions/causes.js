// Which pieces made the model say so: every piece coloured by what it did for the answer.

import { clear, h, num } from "../dom.js";
import { inkOn, onTheme, signed } from "../draw/colours.js";
import { isSpecial, readable } from "../pieces.js";

const WAYS = {
  gradient: {
    name: "gradient × input",
    told:
      "How fast the answer's score would grow if a piece spoke louder: its embedding times the gradient " +
      "there. Quick, but true only nearby.",
  },
  integrated: {
    name: "integrated gradients",
    told:
      "The gradient gathered on the way from a text where every word is hidden to this one. The shares add " +
      "up to the difference between the two.",
  },
};

/** onWay("gradient" | "integrated") */
export function causesPanel(host, { onWay }) {
  const ways = Object.entries(WAYS).map(([way, { name }]) =>
    h(
      "button",
      { type: "button", class: "chip", "data-way": way, "data-test": `way-${way}`, onclick: () => onWay(way) },
      name,
    ),
  );
  const title = h("h2", {});
  const note = h("p", { class: "note" });
  const row = h("div", { class: "causes", role: "list" });
  const sum = h("p", { class: "note number", "data-test": "causes-sum" });
  host.append(h("div", { class: "row detail-top" }, title, h("div", { class: "row" }, ways)), note, row, sum);
  let last = null;
  const stop = onTheme(() => last && update(last.answer, last.way, last.isEdited));

  function update(answer, way, isEdited) {
    last = { answer, way, isEdited };
    for (const one of ways) one.setAttribute("aria-pressed", String(one.dataset.way === way));
    note.textContent = WAYS[way].told;
    if (answer.refused) {
      title.textContent = "Which pieces speak for it";
      clear(row);
      sum.textContent = answer.refused;
      return;
    }
    title.textContent = `Which pieces speak for “${answer.answer.word}”`;
    const scores = answer.scores.toList();
    const most = Math.max(1e-12, ...scores.map(Math.abs));
    clear(
      row,
      answer.pieces.map((piece, i) => cause(piece, scores[i], most, i)),
    );
    const parts = ["Orange speaks for it, blue against it."];
    if (answer.baseline_value !== null) {
      parts.push(
        `Its score (${answer.measure}) is ${num(answer.value)}, with every word hidden ` +
          `${num(answer.baseline_value)}; the pieces add up to ${num(scores.reduce((a, b) => a + b, 0))} ` +
          `(${answer.steps} steps, off by ${num(answer.error, 2)}).`,
      );
    } else parts.push(`Its score (${answer.measure}) is ${num(answer.value)}.`);
    if (isEdited) parts.push("This is the model without your changes to its heads.");
    sum.textContent = parts.join(" ");
  }

  return { update, destroy: stop };
}

function cause(piece, score, most, place) {
  const colour = signed(score / most);
  return h(
    "span",
    {
      class: isSpecial(piece) ? "cause cause-special" : "cause",
      role: "listitem",
      "data-test": "cause",
      "data-place": place,
      "data-value": score,
    },
    h("span", { class: "cause-word", style: { background: colour, color: inkOn(colour) } }, readable(piece)),
    h("small", {}, num(score, 2)),
  );
}
