// The line at the foot: facts of the model, and how long the last answer took.

import { clear, h, large, num } from "../dom.js";
import { isFile, onAnswer } from "../source.js";

export function status(host, page) {
  const facts = h("span", { class: "status-model", "data-test": "model-facts" });
  const time = h("span", { class: "status-time", "aria-live": "off" });
  host.append(facts, time);

  onAnswer(({ name, milliseconds, busy }) => {
    host.classList.toggle("busy", busy);
    document.body.dataset.busy = String(busy);
    if (milliseconds) {
      time.textContent = `${name}: answered in ${num(milliseconds, milliseconds < 100 ? 2 : 3)} ms`;
    }
  });

  function update() {
    const model = page.model();
    if (isFile) time.textContent = "a saved page, without the program";
    clear(facts, model && [h("strong", {}, model.name), factsOf(model).map((one) => [" · ", one])]);
  }

  return { update };
}

function factsOf(model) {
  const told = [];
  if (model.parameters) told.push(`${large(model.parameters)} weights`);
  const { layers, heads, hidden, vocabulary } = model.sizes ?? {};
  if (layers) told.push(`${layers} layers × ${heads} heads`);
  if (hidden) told.push(`${hidden} numbers for each piece`);
  if (vocabulary) told.push(`${large(vocabulary)} pieces known`);
  if (model.trained === false) told.push("random weights: only its structure means something");
  return told;
}
