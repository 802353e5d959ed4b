// One step of the walk: its equation, what it means, how large the gradient is, and who gets it.

import { clear, h, num, shape, shown } from "../dom.js";
import { math } from "../math.js";
import { isSpecial, readable } from "../pieces.js";

/** onGo(name): to another step; onWeight(name or null): the gradient of a weight, or of the step again. */
export function stepPanel(host, { onGo, onWeight }) {
  const head = h("div", { class: "step-head" });
  const facts = h("dl", { class: "facts" });
  const pieces = h("div", { class: "step-pieces" });
  const weights = h("div", { class: "step-weights" });
  host.append(head, facts, pieces, weights);

  function update(answer, number, weight) {
    const step = answer.steps[number];
    clear(
      head,
      h("p", { class: "step-number" }, `Step ${number + 1} of ${answer.steps.length} · ${step.group}`),
      h(
        "h2",
        { "data-test": "step-name", "data-name": step.name },
        step.plain || step.name,
        step.plain && h("code", {}, step.name),
      ),
      h(
        "div",
        { class: "scroll-x formula", "data-test": "step-equation", title: step.equation },
        math(step.mathml, { display: true }),
      ),
      step.behind.length > 0 && behind(step),
      h("p", { class: "step-words" }, step.words),
      step.parts.length > 1 && comesFrom(step),
    );
    clear(facts, factsOf(step));
    clear(pieces, piecesOf(step, answer.pieces));
    clear(weights, weightsOf(step, weight));
  }

  function behind(step) {
    return h(
      "div",
      { class: "scroll-x formula behind" },
      h("span", { class: "note" }, "where"),
      step.behind.map((one) => math(one.mathml, { display: true })),
    );
  }

  function comesFrom(step) {
    return h(
      "p",
      { class: "row note" },
      "comes back from",
      step.parts.map((part) =>
        part.through
          ? h("button", { type: "button", class: "chip", onclick: () => onGo(part.name) }, part.name)
          : h("span", { class: "chip" }, part.name),
      ),
    );
  }

  function weightsOf(step, weight) {
    if (!step.weights.length) return [];
    const chosen = step.weights.find((one) => one.name === weight);
    return [
      h("h3", {}, "Weights that get their gradient here"),
      h(
        "div",
        { class: "row", role: "group", "aria-label": "gradient to show" },
        h(
          "button",
          { type: "button", class: "chip", "aria-pressed": String(!chosen), onclick: () => onWeight(null) },
          step.name,
        ),
        step.weights.map((one) =>
          h(
            "button",
            {
              type: "button",
              class: "chip",
              "data-test": "weight",
              "data-name": one.name,
              "aria-pressed": String(one === chosen),
              onclick: () => onWeight(one.name),
            },
            h("b", {}, one.name),
            h("small", { class: "number", "data-value": one.norm }, `‖g‖ ${num(one.norm)}`),
          ),
        ),
      ),
      chosen && h("div", { class: "scroll-x formula", title: chosen.equation }, math(chosen.mathml, { display: true })),
      chosen?.uses > 1 &&
        h("p", { class: "note" }, `This weight is used ${chosen.uses} times; its gradient is the sum of all.`),
      chosen &&
        h(
          "p",
          { class: "note" },
          shape(chosen.shape),
          `, ‖g‖ / ‖w‖ = ${num(chosen.norm / chosen.weight_norm)}`,
          chosen.zeros > 0 && `, ${(100 * chosen.zeros).toFixed(0)}% of its numbers get nothing`,
        ),
    ];
  }

  return { update };
}

function factsOf(step) {
  const fact = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value));
  return [
    fact("size ‖g‖", shown(step.norm, 4, { "data-test": "step-norm" })),
    step.ratio !== null && fact(["beside ", h("code", {}, step.ratio_to)], `× ${num(step.ratio, 3)}`),
    fact("shape", shape(step.shape)),
    fact("typical number", num(step.rms)),
    fact("exactly 0", `${(100 * step.zeros).toFixed(step.zeros > 0.995 && step.zeros < 1 ? 1 : 0)}%`),
  ];
}

/** The sentence, each piece as dark as its share of the gradient. */
function piecesOf(step, pieces) {
  if (!step.pieces) return [];
  const sizes = Array.from(step.pieces.data);
  const most = Math.max(...sizes) || 1;
  return [
    h("h3", {}, "Which pieces it reaches"),
    h(
      "div",
      { class: "reach", "data-test": "reach" },
      pieces.map((piece, i) =>
        h(
          "span",
          {
            class: isSpecial(piece) ? "reach-piece special" : "reach-piece",
            title: `‖g‖ ${num(sizes[i])}`,
            "data-value": sizes[i],
          },
          h("span", { class: "reach-bar" }, h("i", { style: { height: `${(100 * sizes[i]) / most}%` } })),
          readable(piece),
        ),
      ),
    ),
  ];
}
