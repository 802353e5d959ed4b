// Learn: take optimizer steps on this sentence, and watch loss, prediction and weights move.

import { targetPicker } from "../backward/target.js";
import { clear, counted, h, num, percent } from "../dom.js";
import { curves } from "../draw/curves.js";
import { otherSentences, partsMoved, wordsMoved } from "../learn/effects.js";
import { rateCurve } from "../learn/rates.js";
import { MOST_STEPS, placeOf, rateAt, signOf, stepsAsText, stepsFromText } from "../learn/steps.js";
import { weightChange } from "../learn/weight_change.js";
import { wordsThenAndNow } from "../learn/words.js";
import { math } from "../math.js";
import { isGone } from "../source.js";

export const title = "Learn";
export const hint =
  "Teach the model this one word. Take a step: every weight moves a little against its gradient. Then look what became of the word, and of everything else the model knew.";

const USUAL = { optimizer: "adamw", rate: 0.001 };

export function mount(root, page) {
  const parts = skeleton(page);
  root.append(parts.body);
  const targets = targetPicker(parts.targets, page);
  const rates = rateCurve(parts.rates, page, { onRate: (rate) => page.set({ "learn.rate": Number(rate.toPrecision(2)) }) });
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
    optimizer: answer?.optimizers.some((one) => one.name === state["learn.optimizer"]) ? state["learn.optimizer"] : USUAL.optimizer,
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
    const others = (state["learn.others"] ?? "").split("\n").map((one) => one.trim()).filter(Boolean).slice(0, 6);
    const body = { question: page.question(), steps, others };
    const key = JSON.stringify(body);
    asking?.abort(); // also one for a question that was asked and taken back
    if (!page.state().text.trim()) return;
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
        if (!isGone(error)) page.problem(error);
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
    const name = answer.asked.length > 1 ? "mean probability of the words" : `probability of “${answer.asked[0].answer.word}”`;
    drawPlot("loss", { series: [{ name: "loss", x, y: answer.losses, colour: "var(--accent)" }], xRange: range });
    drawPlot("p", { series: [{ name, x, y: p, colour: "var(--good)" }], xRange: range, yRange: [0, 1] });
  }

  function drawPlot(key, options) {
    const all = { ...options, xLabel: "steps", height: 180, label: `${options.series[0].name} over the steps` };
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
    clear(parts.rule, h("div", { class: "scroll-x formula" }, math(chosen.mathml, { display: true })), h("p", { class: "note" }, chosen.words));
    const full = steps.length >= MOST_STEPS ? " More than that would take too long to do again for everybody who opens the link." : "";
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

const NAMES = { sgd: "plain gradient", momentum: "momentum", adamw: "AdamW", lion: "Lion", lamb: "LAMB" };
const spelled = (steps) => stepsAsText(steps).split(",").map((one) => one.replace(":", " with ").replace(/x(\d+)$/, ", $1 times")).join("; ");
const meanOf = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Loss and probability in large letters, and what is to be said of them. */
function drawNumbers(host, answer) {
  const { losses, asked, taken, burst } = answer;
  const [first, now] = [losses[0], losses.at(-1)];
  const p = (i) => meanOf(answer.answer_p.at(i).data);
  const word = asked.length > 1 ? "the words" : `“${asked[0].answer.word}”`;
  clear(
    host,
    big("loss", num(first, 4), num(now, 4), now, "loss"),
    big(`p of ${word}`, percent(p(0)), percent(p(taken)), p(taken), "probability"),
    h("p", { class: `learn-verdict ${burst || now > first ? "bad" : "note"}`, "data-test": "learn-verdict", "aria-live": "polite" }, verdict(answer, first, now, p(taken))),
  );
}

function verdict({ taken, burst, losses, others }, first, now, p) {
  if (burst) return `After ${counted(taken, "step")} the loss is no number any more: the steps were far too large. Undo, and choose a smaller rate.`;
  if (!taken) return "The model as it was trained. Take a step.";
  if (now > first) return "The loss is above where it began: the steps overshoot. Undo, and choose a smaller rate.";
  if (taken > 1 && now > losses.at(-2)) return "The last step made it worse: it overshot. Undo, or choose a smaller rate.";
  const kept = others.length ? meanOf(others.map((one) => one.overlap)) : 1;
  const learned = p > 0.5 ? "It has learned the word, and paid for it" : "The word rises, and that has a price";
  if (kept < 0.5) return `${learned}: of what it believed about other sentences, ${percent(kept)} is left.`;
  if (p > 0.9) return "It has learned the word. See below what that changed elsewhere.";
  return `${counted(taken, "step")} taken: each one moved the weights a little against the gradient.`;
}

const big = (label, before, now, value, test) =>
  h("div", { class: "big" }, h("span", { class: "note" }, label), h("b", { class: "number", "data-test": `learn-${test}`, "data-value": value }, now), h("span", { class: "note number" }, `at the start ${before}`));

function skeleton(page) {
  const parts = Object.fromEntries(["targets", "numbers", "curve", "words", "rates", "parts", "moved", "others", "change", "optimizers", "rule"].map((name) => [name, h("div", { class: `learn-${name}` })]));
  const button = (label, test, more = "") => h("button", { type: "button", class: `button ${more}`, "data-test": test }, label);
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
  const panel = (name, heading, ...inside) => h("section", { class: `panel learn-panel-${name}` }, heading && h("h3", {}, heading), inside);
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
        h("div", { class: "learn-scale note number", "aria-hidden": "true" }, ["10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1"].map((one) => h("span", {}, one))),
        parts.rates,
        parts.taken,
      ),
      panel("others", "What it does to other sentences", parts.others, h("details", {}, h("summary", {}, "Use sentences of your own"), lines)),
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
