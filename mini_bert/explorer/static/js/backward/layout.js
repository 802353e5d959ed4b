// The panels of the view, empty yet, and its buttons.

import { h } from "../dom.js";

export function skeleton() {
  const box = (name) => h("div", { class: `backward-${name}` });
  const parts = Object.fromEntries(
    ["targets", "loss", "river", "step", "first", "gradient", "cell", "story", "check", "shares"].map((name) => [
      name,
      box(name),
    ]),
  );
  const button = (label, test, attributes = {}) =>
    h("button", { type: "button", class: "button", "data-test": test, ...attributes }, label);
  parts.back = button("← Previous", "previous");
  parts.next = button("Next →", "next", { class: "button primary" });
  parts.play = button("Play", "play", { "aria-pressed": "false" });
  parts.place = h("span", { class: "note number" });
  parts.largest = button("Check the largest number", "check-largest", { hidden: true });
  parts.cell.append(parts.check, parts.story);
  parts.remarks = h("ul", { class: "remarks" });
  parts.body = h(
    "div",
    { class: "backward", hidden: true },
    h("section", { class: "panel backward-top" }, parts.targets, parts.loss),
    h(
      "section",
      { class: "panel backward-way" },
      h("h3", {}, "From the loss down"),
      parts.river,
      h(
        "p",
        { class: "note" },
        "As wide as the gradient is large; each doubling adds the same width. ",
        h("span", { class: "key-road" }, "The open road"),
        " of the residual stream, and the ways through ",
        h("span", { class: "key-attention" }, "attention"),
        " and ",
        h("span", { class: "key-units" }, "feed-forward"),
        ".",
      ),
    ),
    h(
      "section",
      { class: "panel backward-here" },
      h(
        "div",
        { class: "row backward-walk" },
        parts.back,
        parts.next,
        parts.play,
        parts.place,
        h("span", { class: "note" }, "or the arrow keys"),
      ),
      parts.step,
      parts.first,
      h("div", { class: "backward-numbers" }, h("h3", {}, "The real numbers"), parts.gradient, parts.largest),
      parts.cell,
    ),
    h(
      "div",
      { class: "columns backward-below" },
      h(
        "section",
        { class: "panel" },
        h("h3", {}, "Who hears of the mistake"),
        h(
          "p",
          { class: "note" },
          "Each piece's share of the gradient (of ‖g‖²). At the top only the hidden place knows of its mistake; " +
            "layer by layer, attention passes it on to the others.",
        ),
        parts.shares,
      ),
      h("section", { class: "panel" }, h("h3", {}, "What stands out"), parts.remarks),
    ),
  );
  return parts;
}
