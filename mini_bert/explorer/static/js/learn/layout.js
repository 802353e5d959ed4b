// The panels of the view, empty yet, and its buttons.

import { h } from "../dom.js";
import { rateAt } from "./steps.js";

export function skeleton(page) {
  const parts = Object.fromEntries(
    ["targets", "numbers", "curve", "words", "rates", "parts", "moved", "others", "change", "optimizers", "rule"].map(
      (name) => [name, h("div", { class: `learn-${name}` })],
    ),
  );
  const button = (label, test, more = "") =>
    h("button", { type: "button", class: `button ${more}`, "data-test": test }, label);
  parts.one = button("Take a step", "take-step", "primary learn-step");
  parts.ten = button("Take 10", "take-ten");
  parts.undo = button("Undo", "undo");
  parts.reset = button("Start again", "reset");
  parts.rate = h("output", { class: "number", "data-test": "rate" });
  parts.slider = h("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 1,
    "aria-label": "learning rate, from 0.00001 to 1",
    "data-test": "rate-slider",
    oninput: () => page.set({ "learn.rate": rateAt(Number(parts.slider.value)) }, { replace: true }),
  });
  parts.taken = h("p", { class: "note number learn-taken", "data-test": "taken" });
  const lines = h("textarea", {
    rows: 3,
    spellcheck: "false",
    placeholder: "One sentence with [MASK] on a line",
    "aria-label": "your own sentences, one with [MASK] on a line",
    onchange: () => page.set({ "learn.others": lines.value.trim() }),
  });
  lines.value = page.state()["learn.others"] ?? "";
  const panel = (name, heading, ...inside) =>
    h("section", { class: `panel learn-panel-${name}` }, heading && h("h3", {}, heading), inside);
  parts.body = h(
    "div",
    { class: "learn", hidden: true },
    panel("target", null, parts.targets),
    h(
      "div",
      { class: "stack" },
      panel(
        "controls",
        null,
        h("div", { class: "row" }, parts.one, parts.ten, parts.undo, parts.reset),
        h("h3", {}, "Optimizer"),
        h("div", { class: "row", role: "group", "aria-label": "optimizer" }, parts.optimizers),
        parts.rule,
        h("label", { class: "learn-rate" }, h("span", {}, "Learning rate η = ", parts.rate), parts.slider),
        h(
          "div",
          { class: "learn-scale note number", "aria-hidden": "true" },
          ["10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"].map((one) => h("span", {}, one)),
        ),
        parts.rates,
        parts.taken,
      ),
      panel(
        "others",
        "What it does to other sentences",
        parts.others,
        h("details", {}, h("summary", {}, "Use sentences of your own"), lines),
      ),
    ),
    h(
      "div",
      { class: "stack" },
      panel("now", null, parts.numbers, parts.curve, h("h3", {}, "What the model says there"), parts.words),
      panel("parts", "How far each part moved", parts.parts),
      panel("words", "Whose rows moved", parts.moved),
    ),
    panel("change", "A weight, number by number", parts.change),
  );
  return parts;
}
