// From numbers to places on the screen, with round numbers to write beside the axis.

import { num } from "../dom.js";

const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** An axis for values, between two places. `tight`: it ends where the values end. */
export function axis(values, from, to, { log = false, ticks = 5, tight = false } = {}) {
  const usable = values.filter((one) => Number.isFinite(one) && (!log || one > 0));
  let [low, high] = usable.length ? extent(usable) : log ? [1, 10] : [0, 1];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - half(low), high + half(high)];
  if (!tight) [low, high] = log ? [low / 1.1, high * 1.1] : padded(low, high);
  const turn = log ? Math.log10 : (one) => one;
  const back = log ? (one) => 10 ** one : (one) => one;
  const [a, b] = [turn(low), turn(high)];
  return {
    low,
    high,
    ticks: log ? logTicks(low, high, ticks) : roundTicks(low, high, ticks),
    place: (one) => (isShown(one, log) ? from + ((turn(one) - a) / (b - a)) * (to - from) : NaN),
    value: (place) => back(a + ((place - from) / (to - from)) * (b - a)),
    told: log ? power : plain,
  };
}

const half = (one) => (Math.abs(one) || 1) / 2;
const isShown = (one, log) => one !== null && one !== undefined && !(log && one <= 0);

function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const one of values) {
    if (one < low) low = one;
    if (one > high) high = one;
  }
  return [low, high];
}

function padded(low, high) {
  const room = (high - low) * 0.05;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

function roundTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * unit).find((one) => one >= rough) ?? 10 * unit;
  const made = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) made.push(i * step);
  return made;
}

function logTicks(low, high, count) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (last - first < 1) return roundTicks(low, high, Math.min(count, 4)).filter((one) => one > 0);
  const step = Math.max(1, Math.ceil((last - first + 1) / count));
  const made = [];
  for (let i = first; i <= last; i += step) made.push(10 ** i);
  return made;
}

/** 0.10 -> 0.1, 5.00 × 10⁻⁵ -> 5 × 10⁻⁵, but 100 stays. */
function plain(one) {
  const told = num(Number(one.toPrecision(6)), 3);
  return told.replace(/(\.\d*?)0+(?=$| )/, "$1").replace(/\.(?=$| )/, "");
}

function power(one) {
  const exponent = Math.round(Math.log10(one));
  if (Math.abs(one / 10 ** exponent - 1) > 1e-6 || (exponent >= -2 && exponent <= 4)) return plain(one);
  return `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => POWERS[digit]).join("")}`;
}
