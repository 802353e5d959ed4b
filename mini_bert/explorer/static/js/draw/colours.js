// Colours for numbers, told apart by people who see red and green alike, in light and in dark.

const SIGNED = {
  light: ["#08306b", "#2b6cb0", "#7fb3dc", "#f7f7f5", "#fdb36a", "#dd6b0f", "#7a3300"],
  dark: ["#b5dcff", "#5aa5e8", "#2b5c8f", "#17191e", "#8f4f14", "#ee8a30", "#ffd9a8"],
};
const POSITIVE = {
  light: ["#fbfaf4", "#d5e8c3", "#8fd08f", "#3fae8b", "#23888e", "#31608b", "#41286f"],
  dark: ["#17191e", "#2f2a5c", "#34568a", "#24818d", "#35a97f", "#8fd155", "#fbe94b"],
};
const CATEGORIES = {
  light: ["#0b6cb3", "#d1690a", "#00806a", "#b0488e", "#7a6a00", "#5a53c4", "#3f9dd8", "#8a4b23"],
  dark: ["#63b3ed", "#f6a04d", "#3fc9a8", "#e58fc6", "#d9c64a", "#a9a2ff", "#9ad7ff", "#d39a73"],
};

export function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls back when the colours of the page change; returns a function that ends it. */
export function onTheme(listener) {
  document.addEventListener("themechange", listener);
  return () => document.removeEventListener("themechange", listener);
}

const parsed = (stops) => stops.map((one) => [1, 3, 5].map((at) => parseInt(one.slice(at, at + 2), 16)));
const TABLES = {
  signed: { light: parsed(SIGNED.light), dark: parsed(SIGNED.dark) },
  positive: { light: parsed(POSITIVE.light), dark: parsed(POSITIVE.dark) },
};

/** [red, green, blue] of t in 0..1 on a scale, for pixels. */
export function rgb(scale, t, of = theme()) {
  const stops = TABLES[scale][of];
  const place = Math.min(Math.max(Number.isFinite(t) ? t : 0, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  const share = place - low;
  return stops[low].map((one, i) => Math.round(one + share * (stops[low + 1][i] - one)));
}

const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

/** t in −1..1: blue, white (or dark), orange. */
export const signed = (t) => css(rgb("signed", (t + 1) / 2));

/** t in 0..1: light to dark (dark to light at night). */
export const positive = (t) => css(rgb("positive", t));

/** Ink that can be read on a colour made by signed() or positive(). */
export function inkOn(colour) {
  const [red, green, blue] = colour.match(/\d+/g).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#14161a" : "#ffffff";
}

/** Colours for things of different kinds: sentences, curves. */
export function category(i) {
  const list = CATEGORIES[theme()];
  return list[i % list.length];
}
