// An array as a heat map of its real numbers, a picker for what cannot be shown at once, and statistics of all of it.

import { clear, counted, h, num, percent, shown } from "../dom.js";
import { heatmap } from "../draw/heatmap.js";
import { isGone } from "../source.js";

/**
 * options: name, of ("value" | "gradient" | "weight" | "weight_gradient"), slice ({head: 2, row: 256}), index (the cell
 * that is picked, into the whole array), onCell(index, value), onSlice(slice), onAnswer(answer), question (if it is not
 * the page's). The old picture stays until the new one is there.
 */
export function tensorPanel(host, page, options) {
  const cutting = h("div", { class: "tensor-cutting row" });
  const frame = h("div", { class: "tensor-map" });
  const facts = h("div", { class: "tensor-facts" });
  const element = h("div", { class: "tensor-panel", "data-test": "tensor-panel" }, cutting, frame, facts);
  host.append(element);
  let [all, map, answer, flight] = [{}, null, null, null];

  async function update(changes) {
    all = { ...all, ...changes };
    flight?.abort();
    flight = new AbortController();
    const { signal } = flight;
    try {
      const found = await fetched(page, all, signal);
      if (signal.aborted) return;
      answer = found;
      draw();
      all.onAnswer?.(answer);
    } catch (error) {
      if (!isGone(error)) page.problem(error);
    }
  }

  function draw() {
    const { rows, columns, values } = answer;
    const given = {
      tensor: values,
      scale: scaleOf(answer),
      rowLabels: rows.labels,
      colLabels: crowded(columns) ? columns.index : columns.labels,
      rowTitle: rows.title || "row",
      colTitle: columns.title || "column",
      label: `${answer.label}, ${answer.told}`,
      pick: placeOf(answer, all.index),
      format: crowded(columns) ? (x, _, c) => `${num(x, 4)} (${columns.labels[c]})` : undefined,
      onPick: (r, c, value) => all.onCell?.(indexOf(answer, r, c), value),
    };
    if (map) map.update(given);
    else map = heatmap(frame, given);
    element.dataset.name = answer.name;
    element.dataset.of = answer.of;
    const told = h("span", { class: "note", "data-test": "told" }, axesTold(answer));
    clear(cutting, answer.chosen.map(picker), windows(), told);
    clear(facts, statistics(answer));
  }

  /** Which head is shown. */
  function picker({ kind, at, size }) {
    const choose = (i) => all.onSlice?.(withPlace(answer, kind, i));
    const every = Array.from({ length: size }, (_, i) => i);
    if (size > 16) {
      const given = { "aria-label": kind, "data-test": kind, onchange: (event) => choose(Number(event.target.value)) };
      return h("select", given, every.map((i) => h("option", { value: i, selected: i === at }, `${kind} ${i}`)));
    }
    const chip = (i) => {
      const given = { "aria-pressed": String(i === at), "data-test": kind, "data-at": i, onclick: () => choose(i) };
      return h("button", { type: "button", class: "chip", ...given }, `${kind} ${i}`);
    };
    return h("div", { class: "row tensor-picker", role: "group", "aria-label": `which ${kind}` }, every.map(chip));
  }

  /** Where to go on in an array that is too large to be shown at once. */
  function windows() {
    return [["row", answer.rows], ["column", answer.columns]].flatMap(([side, { kind, index, size }]) => {
      if (index.length >= size || kind === "word" || kind === null) return [];
      const turn = (to, none, sign) => {
        const given = { disabled: none, onclick: () => all.onSlice?.(withPlace(answer, side, to)) };
        return h("button", { type: "button", class: "chip", ...given }, sign);
      };
      const [first, last] = [index[0], index.at(-1)];
      return [
        turn(Math.max(first - index.length, 0), first === 0, `← ${side}s before`),
        turn(last + 1, last + 1 >= size, `${side}s after →`),
      ];
    });
  }

  update(options);
  return {
    element,
    update,
    unmount() {
      flight?.abort();
      map?.destroy?.();
      element.remove();
    },
  };
}

/** The answer in which the picked cell is to be seen. */
async function fetched(page, { name, of = "value", slice = {}, index, question }, signal) {
  const body = (cut) => ({ question: question ?? page.question(), name, of, slice: cut });
  const found = await page.ask("tensor", body(slice), { signal });
  const better = index && sliceFor(found, index);
  return better ? page.ask("tensor", body(better), { signal }) : found;
}

/** The cut that shows a cell, or null if it is to be seen, or nowhere. */
export function sliceFor(answer, index) {
  if (!fits(answer, index) || placeOf(answer, index)) return null;
  const cut = {};
  answer.axes.forEach(({ kind, size }, i) => {
    const side = i === answer.rows.axis ? "row" : i === answer.columns.axis ? "column" : null;
    if (side && kind === "word") cut.word = index[i];
    else if (side && answer[`${side}s`].index.length < size) cut[side] = Math.max(index[i] - 20, 0);
    else if (!side && index[i] > 0) cut[kind] = index[i];
  });
  return cut;
}

/** Whether the array has such a cell. */
export const fits = (answer, index) =>
  index?.length === answer.shape.length && index.every((at, i) => at >= 0 && at < answer.shape[i]);

/** [row, column] of a cell in what is shown, null if it is not in it. */
export function placeOf(answer, index) {
  if (!index || !fits(answer, index)) return null;
  const { rows, columns, base } = answer;
  if (!index.every((at, i) => i === rows.axis || i === columns.axis || at === base[i])) return null;
  const row = rows.axis < 0 ? 0 : rows.index.indexOf(index[rows.axis]);
  const column = columns.axis < 0 ? 0 : columns.index.indexOf(index[columns.axis]);
  return row < 0 || column < 0 ? null : [row, column];
}

/** The index of a cell of the picture in the whole array. */
export function indexOf({ base, rows, columns }, r, c) {
  const index = [...base];
  if (rows.axis >= 0) index[rows.axis] = rows.index[r];
  if (columns.axis >= 0) index[columns.axis] = columns.index[c];
  return index;
}

function withPlace(answer, kind, at) {
  const cut = Object.fromEntries(answer.chosen.map((one) => [one.kind, one.at]));
  cut[kind] = at;
  return Object.fromEntries(Object.entries(cut).filter(([, place]) => place > 0));
}

/** Whether there are too many columns for “head 0 · 12” to be written over each. */
const crowded = ({ labels }) => labels.length > 40 && labels[0].startsWith("head ");

function scaleOf({ shown: { min, max }, columns }) {
  if (min < 0) return "signed";
  return columns.kind === "key" && max <= 1 ? "unit" : "positive";
}

function axesTold({ rows, columns, told }) {
  return rows.axis < 0 ? told : `rows: ${rows.title}, columns: ${columns.title} · ${told}`;
}

function statistics({ statistics: { mean, std, min, max, norm, zeros, size } }) {
  const named = (name, ...inside) => h("div", { class: "fact" }, h("span", { class: "fact-name" }, name), inside);
  const fact = (name, value, title) => {
    const given = title ? { "data-test": `stat-${name}`, title } : { "data-test": `stat-${name}` };
    return named(name, shown(value, 3, given));
  };
  return [
    fact("mean", mean, "the sum of all numbers, divided by how many there are"),
    fact("spread", std, "standard deviation: how far from the mean the numbers usually are"),
    fact("smallest", min),
    fact("largest", max),
    fact("length", norm, "√ of the sum of all squares"),
    named("in all", counted(size, "number")),
    zeros > 0 && named("exactly zero", percent(zeros / size)),
  ];
}
