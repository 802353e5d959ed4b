// How large the cells of a heat map are, and the labels beside and above them.

import { sized } from "./canvas.js";

const FONT_SIZE = 12;
const ROOM_HIGH = 420;
const WIDEST_LABEL = 110;

/** One flat list of numbers with rows and columns, from a tensor or from lists. */
export function prepared(tensor, values, rows, cols) {
  if (tensor) {
    const sizes = tensor.shape.filter((n, i) => n !== 1 || i >= tensor.shape.length - 2);
    if (sizes.length > 2) throw new Error(`a heat map shows two axes, not ${tensor.shape.join(" × ")}`);
    const [first, second] = sizes.length === 2 ? sizes : [1, sizes[0] ?? 1];
    return { values: tensor.data, rows: first, cols: second };
  }
  if (Array.isArray(values?.[0]) || ArrayBuffer.isView(values?.[0])) {
    return { values: values.flatMap((row) => Array.from(row)), rows: values.length, cols: values[0].length };
  }
  return { values: values ?? [], rows: rows ?? 1, cols: cols ?? values?.length ?? 0 };
}

/** [width, height] of one cell: as asked for, or so that the map fits and words can be read. */
export function cellSizes({ rows, cols, options }, room) {
  if (options.cell) return Array.isArray(options.cell) ? options.cell : [options.cell, options.cell];
  const wide = Math.min(Math.max(Math.floor(Math.max(room, 0) / cols), 3), 34);
  const high = Math.min(Math.max(Math.floor(ROOM_HIGH / rows), options.rowLabels && rows <= 64 ? 15 : 4), 28);
  return wide >= 12 && high >= 12 ? [Math.min(wide, high), Math.min(wide, high)] : [wide, high];
}

/** Draws the labels of the rows; returns their width. */
export function drawRowLabels({ left, rows, size, options }, ink) {
  const labels = options.rowLabels ?? Array.from({ length: rows }, (_, i) => i);
  const context = left.getContext("2d");
  context.font = font(ink);
  const shownOnes = labels.slice(0, rows).map((one) => shortened(context, String(one), WIDEST_LABEL));
  const width = Math.ceil(Math.max(8, ...shownOnes.map((one) => context.measureText(one).width))) + 8;
  if (!size) return width;
  const high = size[1];
  const drawn = sized(left, width, rows * high);
  drawn.font = font(ink);
  drawn.fillStyle = ink.getPropertyValue("--ink-soft");
  drawn.textAlign = "right";
  drawn.textBaseline = "middle";
  const numbered = shownOnes.every(isNumber);
  const step = tickStep(numbered && high <= FONT_SIZE ? 2 * FONT_SIZE : FONT_SIZE + 1, high, numbered);
  const [highest, lowest] = [FONT_SIZE / 2, Math.max(rows * high, FONT_SIZE) - FONT_SIZE / 2];
  for (let r = 0; r < rows; r += step) {
    drawn.fillText(shownOnes[r] ?? "", width - 6, Math.min(Math.max((r + 0.5) * high, highest), lowest));
  }
  return width;
}

/** Draws the labels of the columns: flat where they fit, else slanted, else only some of them. */
export function drawColumnLabels({ top, cols, size, options }, ink) {
  const labels = options.colLabels ?? Array.from({ length: cols }, (_, i) => i);
  const wide = size[0];
  const context = top.getContext("2d");
  context.font = font(ink);
  const words = labels.slice(0, cols).map((one) => shortened(context, String(one), WIDEST_LABEL));
  const longest = Math.max(0, ...words.map((one) => context.measureText(one).width));
  const numbered = words.every(isNumber);
  const flat = longest + 4 <= wide || numbered;
  const step = flat ? tickStep(longest + 8, wide, numbered) : Math.ceil((FONT_SIZE + 1) / wide);
  const slant = (60 * Math.PI) / 180;
  const height = flat ? FONT_SIZE + 6 : Math.ceil(longest * Math.sin(slant) + FONT_SIZE);
  const beyond = Math.ceil(flat ? longest / 2 : longest * Math.cos(slant));
  const drawn = sized(top, cols * wide + beyond, height);
  drawn.font = font(ink);
  drawn.fillStyle = ink.getPropertyValue("--ink-soft");
  for (let c = 0; c < cols; c += step) {
    drawn.save();
    drawn.translate((c + 0.5) * wide, height - 5);
    if (flat) drawn.textAlign = numbered && step > 1 && c === 0 ? "left" : "center";
    else {
      drawn.rotate(-slant);
      drawn.textBaseline = "middle";
    }
    drawn.fillText(words[c] ?? "", 0, 0);
    drawn.restore();
  }
}

const isNumber = (text) => /^\d+$/.test(text);

function tickStep(room, wide, numbered) {
  const least = Math.ceil(room / wide);
  if (!numbered) return least;
  return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => one >= least) ?? least;
}

const font = (ink) => `${FONT_SIZE}px ${ink.getPropertyValue("--sans")}`;

function shortened(context, text, most) {
  if (context.measureText(text).width <= most) return text;
  let kept = text;
  while (kept && context.measureText(`${kept}…`).width > most) kept = kept.slice(0, -1);
  return `${kept}…`;
}
