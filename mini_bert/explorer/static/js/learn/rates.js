// The loss after one more step, for every rate of the slider: too small does little, too large overshoots.

import { h, num } from "../dom.js";
import { curves } from "../draw/curves.js";
import { inOneLine } from "../problem_words.js";
import { isGone } from "../source.js";

const REST = 150; // milliseconds of a slider at rest before its own rate is tried

export function rateCurve(host, page, { onRate }) {
  const told = h("p", { class: "note number", "data-test": "rate-told" });
  let plot = null;
  let asking = null;
  let timer = 0;

  /** The whole curve is asked once for each state and optimizer; the rate of the slider each time it rests. */
  async function update({ question, steps, step: { optimizer, rate } }) {
    asking?.abort();
    clearTimeout(timer);
    const { signal } = (asking = new AbortController());
    try {
      const found = await page.ask("rates", { question, steps, optimizer }, { signal });
      if (signal.aborted) return;
      draw(found, rate);
      await new Promise((resolve) => (timer = setTimeout(resolve, REST)));
      const here = await page.ask("rates", { question, steps, optimizer, rates: [rate] }, { signal });
      if (!signal.aborted) tell(rate, found.loss, here.losses[0]);
    } catch (error) {
      if (!isGone(error)) told.textContent = inOneLine(error);
    }
  }

  function draw({ rates, losses, loss }, rate) {
    const x = Array.from(rates.data);
    const options = {
      series: [
        { name: "loss after one more step", x, y: losses, colour: "var(--accent)" },
        { name: "loss now", x: [x[0], x.at(-1)], y: [loss, loss], dashed: true, colour: "var(--ink-faint)" },
      ],
      xLabel: "learning rate",
      logX: true,
      height: 200,
      marks: [{ x: rate, label: num(rate, 2) }],
      onPick: onRate,
      label: "Loss after one more step, by learning rate",
    };
    if (plot) plot.update(options);
    else {
      plot = curves(host, options);
      host.append(told);
    }
  }

  function tell(rate, loss, here) {
    const better = here !== null && here < loss;
    told.textContent =
      `A step with ${num(rate, 2)} would bring the loss from ${num(loss, 4)} to ` +
      `${num(here, 4)}${better ? "." : ": it overshoots."}`;
    told.dataset.value = here;
  }

  return {
    update,
    close() {
      asking?.abort();
      clearTimeout(timer);
      plot?.destroy();
    },
  };
}
