// The curves of a run: from what the server sends, and from what it sends later, to what is drawn.

import { h } from "../dom.js";
import { category } from "../draw/colours.js";
import { curves } from "../draw/curves.js";

const NARROWEST_BAND = 0.025; // of the width: where sound runs begin is a single step

/** Panels with the new points behind the old ones; `fresh` has all levels and bands, and of the curves the new part. */
export function joined(panels, fresh) {
  const old = new Map(panels.map((panel) => [panel.key, panel]));
  return fresh.map((panel) => {
    const before = old.get(panel.key)?.curves ?? [];
    const names = [...new Set([...before, ...panel.curves].map((one) => one.name))];
    const points = (all, name, axis) => Array.from(all.find((one) => one.name === name)?.[axis].data ?? []);
    const both = (name, axis) => ({ data: [...points(before, name, axis), ...points(panel.curves, name, axis)] });
    return { ...panel, curves: names.map((name) => ({ name, x: both(name, "x"), y: both(name, "y") })) };
  });
}

/** Draws panels into a host, and draws them again when they have grown. */
export function panelGrid(host) {
  const element = h("div", { class: "training-grid" });
  host.append(element);
  const drawn = new Map(); // key -> {box, chart, note}
  let marks = [];
  let onPick = null;

  function update(panels) {
    for (const [key, one] of drawn) {
      if (panels.some((panel) => panel.key === key)) continue;
      one.chart.destroy();
      one.box.remove();
      drawn.delete(key);
    }
    panels.forEach((panel, i) => {
      const one = drawn.get(panel.key) ?? made(panel);
      drawn.set(panel.key, one);
      if (element.children[i] !== one.box) element.insertBefore(one.box, element.children[i] ?? null);
      one.note.textContent = panel.note;
      one.chart.update(optionsOf(panel, marks));
    });
  }

  function made(panel) {
    const note = h("p", { class: "note" });
    const box = h(
      "section",
      { class: "panel training-curve", "data-test": "run-panel", "data-key": panel.key },
      h("h3", {}, panel.title),
    );
    const chart = curves(box, { ...optionsOf(panel, marks), height: 210, onPick: (step) => onPick?.(step) });
    box.append(note);
    return { box, chart, note };
  }

  return {
    element,
    update,
    onPick(listener) {
      onPick = listener;
    },
    mark(step, label) {
      marks = step === null ? [] : [{ x: step, label }];
      for (const { chart } of drawn.values()) chart.update({ marks });
    },
    destroy() {
      for (const { chart } of drawn.values()) chart.destroy();
    },
  };
}

function optionsOf(panel, marks) {
  const told = panel.curves.map((one, i) => ({
    name: one.name,
    x: one.x.data,
    y: one.y.data,
    colour: category(i),
  }));
  const [low, high] = rangeOf(told, panel);
  const last = Math.max(1, ...told.flatMap((one) => [one.x[0], one.x[one.x.length - 1]]));
  const levels = panel.levels.map(({ name, value }) => ({
    name,
    x: [0, last],
    y: [value, value],
    dashed: true,
    colour: "var(--ink-faint)",
  }));
  return {
    series: [...told, ...levels, ...panel.bands.map((band) => bandSeries(band, last, low))],
    logY: panel.log,
    yRange: [low, high],
    xRange: [0, last],
    dots: told.every((one) => one.x.length <= 1),
    xLabel: "step",
    yLabel: panel.unit,
    marks,
    label: `${panel.title} over the steps of the run`,
  };
}

/** A band as a series without a line. */
function bandSeries({ name, low, high, first, last }, end, bottom) {
  const from = Math.max(0, first === 0 ? 0 : Math.min(first, last - NARROWEST_BAND * end));
  const to = Math.max(last, from + NARROWEST_BAND * end);
  const floor = low ?? bottom;
  return {
    name,
    x: [from, to],
    y: [NaN, NaN],
    band: { low: [floor, floor], high: [high, high] },
    colour: "var(--good)",
  };
}

/** Room for the curves and their levels; a band may reach beyond. */
function rangeOf(told, panel) {
  const values = told.flatMap((one) => Array.from(one.y)).filter((y) => Number.isFinite(y) && (!panel.log || y > 0));
  const all = [...values, ...panel.levels.map((one) => one.value)];
  for (const { low, high } of panel.bands) {
    if (high !== null) all.push(high);
    if (low !== null) all.push(low);
  }
  if (!all.length) return [0, 1];
  const most = Math.max(...all);
  return panel.log ? [Math.min(...all), most] : [Math.min(0, ...all), most];
}
