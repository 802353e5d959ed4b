// A quick probe of every checkpoint: can parts of speech be read from what the layers make of words?

import { clear, h, percent, whole } from "../dom.js";
import { category } from "../draw/colours.js";
import { curves } from "../draw/curves.js";

/** `onStart()` begins to ask; answers come one by one through `add`. */
export function probePanel(host, { onStart }) {
  const button = h("button", { type: "button", class: "button", "data-test": "probe", onclick: () => onStart() });
  const chart = h("div");
  const told = h("p", { class: "note", "data-test": "probe-told" });
  const element = h(
    "section",
    { class: "panel" },
    h("h2", {}, "When did it learn grammar?"),
    h(
      "p",
      { class: "note" },
      "A small classifier tries to tell noun from verb, and 13 other kinds of word, from the vectors of each layer. " +
        "The model itself does not change. The dashed line is what one scores who only knows each word's usual kind.",
    ),
    h("div", { class: "row" }, button),
    chart,
    told,
  );
  host.append(element);
  let drawn = null;
  let answers = [];
  let steps = []; // of the checkpoints that can be asked
  let busy = false;

  function forget() {
    answers = [];
    offer([]);
  }

  /** These can be asked now. What others among them have said before stays. */
  function offer(now) {
    steps = now;
    answers = answers.filter((one) => steps.includes(one.step));
    element.hidden = steps.length === 0;
    if (answers.length) draw();
    else {
      drawn?.destroy();
      drawn = null;
      clear(told);
    }
    tellButton();
  }

  /** The first that has not been asked. */
  const next = () => steps.find((step) => answers.every((one) => one.step !== step));

  function tellButton() {
    const left = steps.length - answers.length;
    button.disabled = busy || left === 0;
    if (left === 0) button.textContent = "All were asked";
    else if (busy) button.textContent = `Asked ${answers.length} of ${steps.length} …`;
    else button.textContent = answers.length ? `Ask the other ${left}` : `Ask all ${left} checkpoints`;
  }

  function add(answer) {
    if (!steps.includes(answer.step)) return;
    answers = [...answers, answer].sort((a, b) => a.step - b.step);
    draw();
    tellButton();
  }

  function setBusy(now) {
    busy = now;
    tellButton();
  }

  function draw() {
    const asked = answers.map((one) => one.step);
    const depth = answers[0].layers.length;
    const name = (l) => (l === 0 ? "embeddings" : `layer ${l - 1}`);
    const layers = Array.from({ length: depth }, (_, l) => ({
      name: name(l),
      x: asked,
      y: answers.map((one) => 100 * one.layers[l].value),
      colour: category(l),
      band: l === depth - 1 && {
        low: answers.map((one) => 100 * one.layers[l].low),
        high: answers.map((one) => 100 * one.layers[l].high),
      },
    }));
    const base = answers[0].baseline.value;
    const ends = [Math.min(...asked), Math.max(...asked, 1)];
    const level = {
      name: "usual kind of the word",
      x: ends,
      y: [100 * base, 100 * base],
      dashed: true,
      colour: "var(--ink-faint)",
    };
    const options = { series: [...layers, level], xLabel: "step", yLabel: "% right", height: 220, dots: true };
    if (drawn) drawn.update(options);
    else drawn = curves(chart, options);
    const last = answers[answers.length - 1];
    const best = last.layers[depth - 1];
    told.textContent =
      `${whole(last.words)} words of held-back sentences. After step ${whole(last.step)}, ${name(depth - 1)}: ` +
      `${percent(best.value)} right (95% interval ${percent(best.low)} to ${percent(best.high)}, shaded).`;
    told.dataset.value = best.value;
  }

  forget();
  return { element, forget, offer, next, add, setBusy, close: () => drawn?.destroy() };
}
