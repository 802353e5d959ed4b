// Making elements, and numbers as readers like them.

const SVG = "http://www.w3.org/2000/svg";

/** h("button", {class: "chip", onclick: f, "data-test": "x", hidden: false}, "text", node, [more]) */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG elements. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) give(element, name, value);
  append(element, children);
  return element;
}

/** Sets one attribute; a function named on... becomes a listener, false and null leave it out. */
export function give(element, name, value) {
  if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
  else if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else if (name === "style" && typeof value === "object") Object.assign(element.style, value);
  else if (name === "value" && "value" in element) element.value = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Takes all children away, and puts others in their place. */
export function clear(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

const MINUS = "\u2212";
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number with so many significant digits: −0.0123, 12.3, 4.56 × 10⁻⁷. */
export function num(x, digits = 3) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === Infinity) return "∞";
  if (x === -Infinity) return MINUS + "∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const sign = x < 0 ? MINUS : "";
  if (Number.isInteger(x) && size < 1e6) return sign + whole(size);
  if (size < 1e-4 || size >= 1e6) return sign + scientific(size, digits);
  return sign + decimal(size, digits);
}

function decimal(size, digits) {
  const places = digits - 1 - Math.floor(Math.log10(size));
  return size.toFixed(Math.min(Math.max(places, 0), 20));
}

function scientific(size, digits) {
  const [factor, exponent] = size.toExponential(digits - 1).split("e");
  const raised = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[digit]).join("");
  return `${factor} × 10${exponent < 0 ? "⁻" : ""}${raised}`;
}

/** 1234567 -> 1,234,567 */
export function whole(n) {
  return Math.round(n).toLocaleString("en-GB");
}

/** 0.1234 -> 12.3%; small ones keep a digit: 0.042%. */
export function percent(p) {
  if (p === null || p === undefined || Number.isNaN(p)) return "–";
  if (p > 0 && p < 0.0001) return "< 0.01%";
  return `${(100 * p).toFixed(p < 0.001 ? 3 : p < 0.0995 ? 2 : 1)}%`;
}

/** 12345678 -> 12.3 million */
export function large(n) {
  if (n >= 1e9) return `${(n / 1e9).toFixed(2)} billion`;
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)} million`;
  return whole(n);
}

/** [1, 7, 192] -> 1 × 7 × 192 */
export function shape(sizes) {
  return sizes.length ? sizes.map(whole).join(" × ") : "one number";
}

/** A word for a number: counted(2, "piece") -> 2 pieces */
export function counted(n, word, many = `${word}s`) {
  return `${whole(n)} ${n === 1 ? word : many}`;
}

/** A number element with its exact value in data-value, for tests and for copying. */
export function shown(x, digits = 3, attributes = {}) {
  return h("span", { class: "number", "data-value": x, title: String(x), ...attributes }, num(x, digits));
}
