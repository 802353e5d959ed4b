// What two models differ in, in short; and the texts around the tables.

import { h, large } from "../dom.js";
import { titled } from "./cards.js";
import { stepsTable } from "./tables.js";

export function summaryOf(answer, sides, card) {
  const differing = answer.settings.filter((one) => one.differs);
  const cut = sides.find((side) => side.cut);
  return [
    h("p", { class: "family-lead" }, h("strong", {}, titled(card.name)), `: ${card.changed}`),
    differing.length
      ? h(
          "ul",
          { class: "family-differences", "data-test": "differences" },
          differing.map(({ name, values }) =>
            h("li", {}, h("span", { class: "note" }, name), h("span", {}, values[0], h("b", {}, " → "), values[1])),
          ),
        )
      : h("p", { class: "note" }, "In nothing that matters here do these two differ."),
    cut &&
      h(
        "p",
        { class: "note" },
        `${cut.name} reads ${cut.pieces} pieces at most: the shapes are those of a shorter text.`,
      ),
    h(
      "p",
      { class: "note" },
      `For your sentence of ${sides[0].pieces} pieces: ` +
        `${sides.map((side) => `${large(side.flops / 2)} multiplications in ${side.name}`).join(", ")}. A preset ` +
        "has no trained weights, so it has shapes, but nothing to say.",
    ),
  ];
}

export function stepsOf(answer, labels, onlyDiffering) {
  const table = stepsTable(answer.steps, labels, { onlyDiffering });
  return table.children.length
    ? table
    : h("p", { class: "note" }, "Both compute the same, step by step, if in other sizes.");
}

export function termsOf(sides) {
  if (JSON.stringify(sides[0].terms) === JSON.stringify(sides[1].terms)) return null;
  return h(
    "div",
    { class: "family-terms" },
    h("h3", {}, "What their attention scores are summed from"),
    h(
      "div",
      { class: "columns" },
      sides.map((side) =>
        h(
          "div",
          {},
          h("strong", {}, side.name),
          h(
            "ul",
            {},
            side.terms.map((one) => h("li", {}, one.about)),
          ),
        ),
      ),
    ),
  );
}

export const legend = () =>
  h(
    "p",
    { class: "note family-legend" },
    h("i", { class: "family-swatch" }),
    "a part that the other model has not, or has otherwise. Sizes that differ are in ",
    h("b", { class: "family-size" }, "bold"),
    ".",
  );
