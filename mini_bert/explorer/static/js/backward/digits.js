// Two numbers beside each other, with the digits in which they agree marked.

import { h } from "../dom.js";

const SHOWN = 9;

/** How many leading digits two numbers share, by their difference. */
export function digitsAgreed(a, b) {
  if (a === b) return SHOWN;
  const largest = Math.max(Math.abs(a), Math.abs(b));
  return Math.max(0, Math.min(SHOWN, Math.floor(-Math.log10(Math.abs(a - b) / largest))));
}

/** A number in the form −1.2345678 × 10⁻³, its first `agreed` digits marked. */
export function markedNumber(x, agreed, attributes = {}) {
  if (x === 0 || !Number.isFinite(x)) return h("span", { class: "number", "data-value": x, ...attributes }, String(x));
  const [factor, exponent] = Math.abs(x)
    .toExponential(SHOWN - 1)
    .split("e");
  const cut = agreed > 0 ? agreed + (agreed > 1 ? 1 : 0) : 0; // the point between the digits counts for none
  return h(
    "span",
    { class: "number", "data-value": x, title: String(x), ...attributes },
    x < 0 ? "−" : " ",
    h("mark", { class: "digits" }, factor.slice(0, cut)),
    factor.slice(cut),
    Number(exponent) !== 0 && [" × 10", h("sup", {}, exponent.replace("-", "−").replace("+", ""))],
  );
}
