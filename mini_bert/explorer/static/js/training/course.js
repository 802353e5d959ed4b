// How the sentence was learned: a slider over the checkpoints of a run, with attention and words at each.

import { clear, counted, h, num, percent, whole } from "../dom.js";
import { bars } from "../draw/bars.js";
import { category } from "../draw/colours.js";
import { curves } from "../draw/curves.js";
import { heatmap } from "../draw/heatmap.js";
import { readable } from "../pieces.js";
import { WHY } from "./words.js";

const FRAME = 800; // milliseconds of a checkpoint while it plays

/** `onChange({index, layer, head, place})` with what was chosen; numbers that did not change are left out. */
export function coursePanel(host, { onChange }) {
  const slider = h("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": "checkpoint",
    "data-test": "checkpoint-slider",
    oninput: () => choose(Number(slider.value)),
  });
  const play = h("button", { type: "button", class: "button", "data-test": "play", onclick: () => toggle() }, "▶ Play");
  const told = h("output", { class: "training-step number", "data-test": "checkpoint-step" });
  const head = h("select", {
    "aria-label": "head",
    "data-test": "course-head",
    onchange: () => {
      const [layer, number] = head.value.split(".").map(Number);
      onChange({ layer, head: number });
    },
  });
  const place = h("select", { "aria-label": "place", onchange: () => onChange({ place: Number(place.value) }) });
  const maps = h("div");
  const words = h("div");
  const chances = h("div");
  const wide = h("div");
  const wordsPart = h(
    "div",
    { class: "training-words" },
    h("h3", {}, "What it would say at ", place),
    words,
    h("h3", {}, "How sure it was of ", h("em", { class: "training-answer" })),
    chances,
  );
  const noWords = h(
    "p",
    { class: "note" },
    "Hide a word in the sentence above, and see when the model learned to find it.",
  );
  const body = h(
    "div",
    { class: "stack" },
    h("div", { class: "row training-player" }, play, slider, told),
    h(
      "div",
      { class: "training-sides" },
      h("div", {}, h("h3", {}, "Where ", head, " looks"), maps),
      h("div", {}, wordsPart, noWords),
    ),
    h("div", {}, h("h3", {}, "How widely each head looks, over the training"), wide),
    h(
      "p",
      { class: "note" },
      "1: everywhere alike, as nearly all do in the beginning. Near 0: at a single piece. Choose a cell to see " +
        "that head at that moment.",
    ),
  );
  const trouble = h("p", { class: "note" });
  const element = h(
    "section",
    { class: "panel", "data-test": "course" },
    h("h2", {}, "How it learned this sentence"),
    trouble,
    body,
  );
  host.append(element);
  const parts = {};
  let found = null;
  let index = 0;
  let at = 0;
  let chosen = [0, 0];
  let playing = null;

  function choose(next) {
    index = next;
    onChange({ index });
  }

  function toggle() {
    if (playing) return stop();
    if (index >= found.steps.length - 1) choose(0);
    play.textContent = "❚❚ Pause";
    playing = setInterval(() => {
      if (index >= found.steps.length - 1) return stop();
      return choose(index + 1);
    }, FRAME);
    return undefined;
  }

  function stop() {
    clearInterval(playing);
    playing = null;
    play.textContent = "▶ Play";
  }

  function update(answer, wanted) {
    found = answer;
    trouble.hidden = true;
    body.hidden = false;
    slider.max = found.steps.length - 1;
    index = Math.min(Math.max(wanted.index ?? found.steps.length - 1, 0), found.steps.length - 1);
    chosen = [wanted.layer, wanted.head];
    at = Math.max(
      0,
      found.places.findIndex((one) => one.place === wanted.place),
    );
    fillHeads();
    fillPlaces();
    drawWide();
    drawChances();
    drawStep();
  }

  function fillHeads() {
    const names = [];
    for (let l = 0; l < found.layers; l += 1) for (let a = 0; a < found.heads; a += 1) names.push([l, a]);
    clear(
      head,
      names.map(([l, a]) => h("option", { value: `${l}.${a}` }, `layer ${l}, head ${a}`)),
    );
    head.value = chosen.join(".");
  }

  function fillPlaces() {
    wordsPart.hidden = !found.places.length;
    noWords.hidden = found.places.length > 0;
    clear(
      place,
      found.places.map((one) => h("option", { value: one.place }, `place ${one.place}`)),
    );
    if (found.places.length) place.value = found.places[at].place;
  }

  function drawStep() {
    slider.value = index;
    const step = found.steps[index];
    told.textContent = step === 0 ? "before the first step" : `after step ${whole(step)}`;
    told.dataset.value = step;
    const labels = found.pieces.map(readable);
    const options = {
      tensor: found.weights.at(index),
      scale: "unit",
      rowLabels: labels,
      colLabels: labels,
      rowTitle: "looks",
      colTitle: "at",
      label: `Attention of layer ${chosen[0]}, head ${chosen[1]} after step ${step}`,
    };
    if (parts.map) parts.map.update(options);
    else parts.map = heatmap(maps, options);
    parts.wide?.update({ pick: [chosen[0] * found.heads + chosen[1], index] });
    parts.chances?.update({ marks: [{ x: step }] });
    const asked = found.places[at];
    if (!asked) return;
    const best = asked.best[index];
    const given = {
      labels: best.map((one) => one.word),
      values: best.map((one) => one.probability),
      format: percent,
      most: 1,
      picked: best.findIndex((one) => one.token === asked.answer.token),
      test: "course-word",
    };
    if (parts.words) parts.words.update(given);
    else parts.words = bars(words, given);
  }

  function drawChances() {
    const asked = found.places[at];
    if (!asked) return;
    element.querySelector(".training-answer").textContent = `${asked.answer.word} (${WHY[asked.why] ?? asked.why})`;
    const options = {
      series: found.places.map((one, i) => ({
        name: one.answer.word,
        x: found.steps,
        y: one.probability.data,
        colour: category(i),
      })),
      xLabel: "step",
      yLabel: "probability",
      yRange: [0, Math.max(0.05, ...found.places.flatMap((one) => Array.from(one.probability.data)))],
      height: 180,
      dots: true,
      onPick: (step) => choose(found.steps.indexOf(step)),
    };
    if (parts.chances) parts.chances.update(options);
    else parts.chances = curves(chances, options);
  }

  function drawWide() {
    const { layers, heads, steps, relative_entropy: nats } = found;
    const values = [];
    for (let l = 0; l < layers; l += 1)
      for (let a = 0; a < heads; a += 1) values.push(steps.map((_, i) => nats.at(i, l, a)));
    const options = {
      values,
      rows: layers * heads,
      cols: steps.length,
      scale: "unit",
      rowLabels: values.map((_, i) => `layer ${Math.floor(i / heads)}, head ${i % heads}`),
      colLabels: steps.map((step) => (step === 0 ? "start" : short(step))),
      label: "Attention entropy of each head at each checkpoint, as a share of the most",
      format: (value) => `${num(value, 3)} of the most`,
      onPick: (row, column) => {
        onChange({ index: column, layer: Math.floor(row / heads), head: row % heads });
      },
    };
    if (parts.wide) parts.wide.update(options);
    else parts.wide = heatmap(wide, options);
  }

  return {
    element,
    update,
    /** The run cannot show it; say why. */
    refuse(told) {
      stop();
      body.hidden = !found;
      trouble.hidden = false;
      clear(trouble, told);
    },
    forget() {
      stop();
      found = null;
      body.hidden = true;
      trouble.hidden = false;
      clear(trouble, "Reading the checkpoints …");
    },
    get steps() {
      return found?.steps ?? [];
    },
    get index() {
      return index;
    },
    close: () => (stop(), Object.values(parts).forEach((one) => one.destroy?.())),
  };
}

const short = (step) => (step >= 10000 ? `${Math.round(step / 1000)}k` : counted(step, "", "").trim());
