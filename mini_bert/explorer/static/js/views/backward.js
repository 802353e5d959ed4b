// Backward: the walk from the loss back to the embeddings, with real gradients and a check of every number.

import { firstStep } from "../backward/first_step.js";
import { skeleton } from "../backward/layout.js";
import { drawLoss } from "../backward/loss.js";
import { river } from "../backward/river.js";
import { slopeCheck } from "../backward/slope_check.js";
import { stepPanel } from "../backward/step_panel.js";
import { targetPicker } from "../backward/target.js";
import { clear, h, percent } from "../dom.js";
import { heatmap } from "../draw/heatmap.js";
import { cellPanel } from "../forward/cell_panel.js";
import { fits, indexOf, tensorPanel } from "../forward/tensor_panel.js";
import { isGone } from "../source.js";

export const title = "Backward";
export const hint =
  "How does the model learn from one word? Choose what should stand at the hidden place, then walk with Next: " +
  "from the loss back through every layer, with the real gradient at each step.";
export const needsText = true;

const PACE = 1300; // milliseconds of a step while it plays

export function mount(root, page) {
  const parts = skeleton();
  root.append(parts.body);
  const targets = targetPicker(parts.targets, page);
  const stream = river(parts.river, { onPick: go });
  const panel = stepPanel(parts.step, {
    onGo: goTo,
    onWeight: (name) => page.set({ "backward.weight": name, "backward.cell": null }),
  });
  const check = slopeCheck(parts.check, page);
  let [gradient, cell] = [null, null];
  let shares = null;
  let answer = null;
  let asked = "";
  let asking = null;
  let timer = 0;

  const at = () =>
    Math.max(
      0,
      answer.steps.findIndex((step) => step.name === page.state()["backward.step"]),
    );

  async function update() {
    const question = page.question();
    const key = JSON.stringify(question);
    asking?.abort(); // also one for a question that was asked and taken back
    if (key !== asked) {
      const mine = (asking = new AbortController());
      try {
        const found = await page.ask("backward", { question }, { signal: mine.signal });
        if (mine.signal.aborted) return;
        answer = found;
        asked = key;
      } catch (error) {
        if (!isGone(error)) page.refused(error);
        return;
      }
      drawText();
    }
    drawStep();
  }

  function drawText() {
    parts.body.hidden = false;
    targets.update(answer);
    drawLoss(parts.loss, answer);
    clear(
      parts.remarks,
      [...answer.verdict, ...answer.remarks].map((one) => h("li", {}, one)),
    );
    const { shares: parted, layers, steps } = answer.shares;
    const options = {
      tensor: parted,
      scale: "unit",
      most: 1,
      format: (value) => percent(value),
      rowLabels: layers,
      colLabels: answer.pieces,
      label: "Share of each piece in the gradient after each layer",
      onPick: (row) => goTo(answer.steps.find((step) => step.dotted === steps[row]).name),
    };
    if (shares) shares.update(options);
    else if (layers.length) shares = heatmap(parts.shares, options);
  }

  function drawStep() {
    const number = at();
    const step = answer.steps[number];
    const weight = step.weights.find((one) => one.name === page.state()["backward.weight"])?.name ?? null;
    stream.update(answer.steps, number);
    panel.update(answer, number, weight);
    parts.first.hidden = number > 0;
    if (number === 0) firstStep(parts.first, answer.asked);
    parts.back.disabled = number === 0;
    parts.next.disabled = number === answer.steps.length - 1;
    parts.place.textContent = `${number + 1} / ${answer.steps.length}`;
    drawNumbers(weight ?? step.dotted, weight ? "weight_gradient" : "gradient");
  }

  function drawNumbers(name, of) {
    const { question } = answer;
    const state = page.state();
    const index = state["backward.cell"]?.split(",").map(Number) ?? null;
    const head = Number(state["backward.head"]) || 0;
    const options = {
      question,
      name,
      of,
      slice: head ? { head } : {},
      index,
      onCell: pick,
      onSlice: cut,
      onAnswer: answered,
    };
    if (gradient) gradient.update(options);
    else gradient = tensorPanel(parts.gradient, page, options);
  }

  /** The table is there: now the sum behind the chosen number, and the check of it. */
  function answered(found) {
    const picked = page.state()["backward.cell"]?.split(",").map(Number) ?? null;
    const index = picked && fits(found, picked) ? picked : null;
    const options = { question: answer.question, name: found.dotted, of: found.of, index, check: false, onJump: jump };
    parts.largest.hidden = index !== null;
    parts.largest.onclick = () => pick(largestIn(found));
    parts.cell.hidden = index === null;
    if (cell) cell.update(options);
    else cell = cellPanel(parts.story, page, options);
    check.update(options);
  }

  const pick = (index) => page.set({ "backward.cell": index.join(",") });
  const cut = (slice) => page.set({ "backward.head": slice.head || null, "backward.cell": null });

  /** A factor of a term: a gradient is a step of this walk, numbers of the model are in the forward view. */
  function jump(name, of, index) {
    const cell = index.join(",");
    const step = answer.steps.find((one) => one.dotted === name || one.name === name);
    if (of === "gradient" && step)
      page.set({ "backward.step": step.name, "backward.cell": cell, "backward.weight": null });
    else
      page.set({
        view: "forward",
        "forward.tensor": name,
        "forward.of": of === "value" ? null : of,
        "forward.cell": cell,
      });
  }

  function go(number) {
    page.set(
      { "backward.step": answer.steps[number].name, "backward.cell": null, "backward.weight": null },
      { replace: timer !== 0 },
    );
  }

  function goTo(name) {
    go(
      Math.max(
        0,
        answer.steps.findIndex((step) => step.name === name),
      ),
    );
  }

  function move(by) {
    const to = at() + by;
    if (to < 0 || to >= answer.steps.length) return stop();
    go(to);
    if (timer && to === answer.steps.length - 1) stop();
  }

  function play() {
    if (timer) return stop();
    if (at() === answer.steps.length - 1) go(0);
    timer = setInterval(() => move(1), PACE);
    parts.play.textContent = "Pause";
    parts.play.setAttribute("aria-pressed", "true");
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    parts.play.textContent = "Play";
    parts.play.setAttribute("aria-pressed", "false");
  }

  function keys(event) {
    if (!answer || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, [role=application], [role=tablist], .pieces, .scroll-x"))
      return;
    if (event.key === "ArrowLeft") move(-1);
    else if (event.key === "ArrowRight") move(1);
    else return;
    event.preventDefault();
  }

  parts.back.addEventListener("click", () => (stop(), move(-1)));
  parts.next.addEventListener("click", () => (stop(), move(1)));
  parts.play.addEventListener("click", play);
  document.addEventListener("keydown", keys);
  return {
    update,
    unmount() {
      stop();
      asking?.abort();
      shares?.destroy();
      gradient?.unmount();
      cell?.unmount();
      check.close();
      document.removeEventListener("keydown", keys);
    },
  };
}

/** The index of the number of a table with the largest gradient. */
function largestIn(found) {
  const { data, shape } = found.values;
  let best = 0;
  for (let i = 1; i < data.length; i += 1) if (Math.abs(data[i]) > Math.abs(data[best])) best = i;
  return indexOf(found, Math.floor(best / shape[1]), best % shape[1]);
}
