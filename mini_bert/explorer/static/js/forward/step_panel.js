// What a step is: in plain words, as a formula, of which shape, and made of what.

import { clear, h, num } from "../dom.js";
import { math } from "../math.js";

/** options: step, weight (one of step.weights, if that is shown), steps (all), onPick(name, of) */
export function stepPanel(host, options) {
  const element = h("div", { class: "step-panel", "data-test": "step-panel" });
  host.append(element);

  function update({ step, weight, steps, onPick }) {
    clear(
      element,
      h("p", { class: "step-group" }, step.group),
      h("h2", { "data-test": "step-title", "data-name": step.name }, capital(step.plain || step.face)),
      h("p", { class: "note" }, h("code", {}, step.called), otherNames(step, steps)),
      h("div", { class: "equation scroll-x", "data-test": "equation" }, math(step.mathml, { display: true })),
      h("p", { class: "step-words" }, step.words),
      step.changed && h("p", { class: "bad" }, "Changed by your edit of a head: no longer what the formula says."),
      h(
        "dl",
        { class: "step-facts" },
        fact("shape", h("span", { "data-test": "spelled" }, step.spelled)),
        step.inputs.length > 0 && fact("made of", inputs(step, steps, onPick)),
        step.weights.length > 0 && fact("learned numbers", weights(step, weight, onPick)),
      ),
      step.entropy && entropies(step),
    );
  }

  update(options);
  return { element, update };
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const fact = (name, ...inside) => [h("dt", {}, name), h("dd", { class: "row" }, inside)];

function otherNames(step, steps) {
  const others = steps.filter((one) => one.same_as === step.name);
  return others.length > 0 && [", also ", others.flatMap((one, i) => [i > 0 && ", ", h("code", {}, one.called)])];
}

function inputs(step, steps, onPick) {
  const found = step.inputs.map((name) => steps.find((one) => one.name === name)).filter(Boolean);
  return found.map((one) => {
    const given = { type: "button", class: "chip", title: one.plain, onclick: () => onPick(one.name, "value") };
    return h("button", { ...given, "data-test": "input", "data-name": one.name }, math(one.symbol), one.face);
  });
}

function weights(step, weight, onPick) {
  return step.weights.map((one) => {
    const isChosen = one.name === weight?.name;
    return h(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": String(isChosen),
        "data-test": "weight",
        "data-name": one.name,
        title: `${one.name}: ${one.spelled}`,
        onclick: () => (isChosen ? onPick(step.name, "value") : onPick(one.name, "weight")),
      },
      math(one.symbol),
      h("small", { class: "note" }, one.shape.join(" × ")),
    );
  });
}

/** How spread the looks of each head are. */
function entropies({ entropy, shape }) {
  const most = num(Math.log(shape.at(-1)), 3);
  return h(
    "p",
    { class: "note" },
    `Entropy of each head, from 0 (looks at one piece) to ${most} (looks everywhere alike): `,
    entropy.map((nats, i) =>
      h("span", { class: "step-entropy", "data-test": "entropy", "data-value": nats }, `head ${i}: ${num(nats, 3)}`),
    ),
  );
}
