// Learn: take optimizer steps on this sentence, and watch loss, prediction and weights move.

import { targetPicker } from "../backward/target.js";
import { clear, h, num } from "../dom.js";
import { curves } from "../draw/curves.js";
import { otherSentences, partsMoved, wordsMoved } from "../learn/effects.js";
import { skeleton } from "../learn/layout.js";
import { drawNumbers, meanOf } from "../learn/numbers.js";
import { rateCurve } from "../learn/rates.js";
import { MOST_STEPS, placeOf, signOf, stepsAsText, stepsFromText } from "../learn/steps.js";
import { weightChange } from "../learn/weight_change.js";
import { wordsThenAndNow } from "../learn/words.js";
import { math } from "../math.js";
import { isGone } from "../source.js";

export const title = "Learn";
export const hint =
  "Teach the model this one word. Take a step: every weight moves a little against its gradient. Then look what " +
  "became of the word, and of everything else the model knew.";
export const needsText = true;

const USUAL = { optimizer: "adamw", rate: 0.001 };

export function mount(root, page) {
  const parts = skeleton(page);
  root.append(parts.body);
  const targets = targetPicker(parts.targets, page);
  const rates = rateCurve(parts.rates, page, {
    onRate: (rate) => page.set({ "learn.rate": Number(rate.toPrecision(2)) }),
  });
  const change = weightChange(parts.change, page);
  const plots = {};
  let answer = null;
  let asked = "";
  let asking = null;

  /** Steps belong to the sentence they were taken on; on another one there are none yet. */
  function stepsOf(state) {
    const of = state["learn.of"];
    return of && of !== signOf(page.question()) ? [] : stepsFromText(state["learn.steps"]);
  }

  const nextStep = (state) => ({
    optimizer: answer?.optimizers.some((one) => one.name === state["learn.optimizer"])
      ? state["learn.optimizer"]
      : USUAL.optimizer,
    rate: Number(state["learn.rate"]) > 0 ? Number(state["learn.rate"]) : USUAL.rate,
  });

  function setSteps(steps) {
    page.set({ "learn.steps": stepsAsText(steps), "learn.of": steps.length ? signOf(page.question()) : null });
  }

  function take(times) {
    const state = page.state();
    const steps = answer.burst ? stepsOf(state).slice(0, answer.taken) : stepsOf(state);
    setSteps([...steps, ...Array(times).fill(nextStep(state))].slice(0, MOST_STEPS));
  }

  parts.one.addEventListener("click", () => take(1));
  parts.ten.addEventListener("click", () => take(10));
  parts.undo.addEventListener("click", () => setSteps(stepsOf(page.state()).slice(0, -1)));
  parts.reset.addEventListener("click", () => setSteps([]));

  async function update(state) {
    const steps = stepsOf(state);
    const others = (state["learn.others"] ?? "")
      .split("\n")
      .map((one) => one.trim())
      .filter(Boolean)
      .slice(0, 6);
    const body = { question: page.question(), steps, others };
    const key = JSON.stringify(body);
    asking?.abort(); // also one for a question that was asked and taken back
    parts.body.classList.remove("waiting");
    if (key !== asked) {
      const mine = (asking = new AbortController());
      parts.body.classList.add("waiting");
      try {
        const found = await page.ask("learn", body, { signal: mine.signal });
        if (mine.signal.aborted) return;
        answer = found;
        asked = key;
        drawAnswer(steps);
      } catch (error) {
        if (!isGone(error)) page.refused(error);
        return;
      } finally {
        if (asking === mine) parts.body.classList.remove("waiting");
      }
    }
    drawControls(page.state(), steps);
  }

  function drawAnswer() {
    parts.body.hidden = false;
    targets.update(answer);
    drawNumbers(parts.numbers, answer);
    drawCurve();
    wordsThenAndNow(parts.words, answer);
    partsMoved(parts.parts, answer);
    wordsMoved(parts.moved, answer);
    otherSentences(parts.others, answer);
  }

  function drawCurve() {
    const x = answer.losses.map((_, i) => i);
    const p = x.map((i) => meanOf(answer.answer_p.at(i).data));
    const range = [0, Math.max(5, x.length - 1)];
    const name =
      answer.asked.length > 1 ? "mean probability of the words" : `probability of “${answer.asked[0].answer.word}”`;
    drawPlot("loss", { series: [{ name: "loss", x, y: answer.losses, colour: "var(--accent)" }], xRange: range });
    drawPlot("p", { series: [{ name, x, y: p, colour: "var(--good)" }], xRange: range, yRange: [0, 1] });
  }

  function drawPlot(key, options) {
    const all = {
      ...options,
      xLabel: "steps",
      wholeX: true,
      height: 180,
      label: `${options.series[0].name} over the steps`,
    };
    if (plots[key]) plots[key].update(all);
    else plots[key] = curves(parts.curve, all);
  }

  function drawControls(state, steps) {
    const step = nextStep(state);
    parts.undo.disabled = parts.reset.disabled = steps.length === 0;
    parts.one.disabled = parts.ten.disabled = steps.length >= MOST_STEPS || answer.burst;
    if (document.activeElement !== parts.slider) parts.slider.value = placeOf(step.rate);
    parts.rate.textContent = num(step.rate, 2);
    parts.rate.dataset.value = step.rate;
    clear(
      parts.optimizers,
      answer.optimizers.map(({ name, usual }) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "data-test": `optimizer-${name}`,
            "aria-pressed": String(name === step.optimizer),
            onclick: () => page.set({ "learn.optimizer": name, "learn.rate": usual }),
          },
          NAMES[name] ?? name,
        ),
      ),
    );
    const chosen = answer.optimizers.find((one) => one.name === step.optimizer);
    clear(
      parts.rule,
      h("div", { class: "scroll-x formula" }, math(chosen.mathml, { display: true })),
      h("p", { class: "note" }, chosen.words),
    );
    const full =
      steps.length >= MOST_STEPS
        ? " More than that would take too long to do again for everybody who opens the link."
        : "";
    clear(parts.taken, steps.length ? `Taken: ${spelled(steps)}.${full}` : "No step taken yet.");
    const { question } = answer;
    change.update({ question, steps, weights: answer.weights });
    if (!answer.burst) rates.update({ question, steps, step });
  }

  return {
    update,
    unmount() {
      asking?.abort();
      rates.close();
      change.close();
      for (const plot of Object.values(plots)) plot.destroy();
    },
  };
}

const NAMES = {
  sgd: "plain gradient",
  momentum: "momentum",
  adamw: "AdamW",
  lion: "Lion",
  muon: "Muon",
  lamb: "LAMB",
};
const spelled = (steps) =>
  stepsAsText(steps)
    .split(",")
    .map((one) => one.replace(":", " with ").replace(/x(\d+)$/, ", $1 times"))
    .join("; ");
