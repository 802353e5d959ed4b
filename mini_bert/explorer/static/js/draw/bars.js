// Horizontal bars with a label and a number each.

import { clear, h, num } from "../dom.js";

/**
 * options: labels, values, format(value), onPick(index), picked (index), most (value of a full bar),
 * label (for screen readers), test (data-test of each row). Negative values go to the left of a middle line.
 */
export function bars(host, options) {
  const element = h("div", { class: "bars", role: "list" });
  host.append(element);
  let all = {};

  function update(changes) {
    all = { ...all, ...changes };
    const { labels, values, format = (x) => num(x), onPick, picked, label, test = "bar" } = all;
    const numbers = Array.from(values);
    const most = all.most ?? Math.max(1e-12, ...numbers.filter(Number.isFinite).map(Math.abs));
    const signed = numbers.some((x) => x < 0);
    if (label) element.setAttribute("aria-label", label);
    element.classList.toggle("bars-signed", signed);
    const focused = element.contains(document.activeElement)
      ? [...element.children].findIndex((row) => row.contains(document.activeElement))
      : -1;
    clear(element, numbers.map((value, i) => row(labels[i], value, i, { format, onPick, picked, most, signed, test })));
    if (focused >= 0) element.children[focused]?.focus();
  }

  update(options);
  return { element, update };
}

function row(label, value, i, { format, onPick, picked, most, signed, test }) {
  const share = Math.min(Math.abs(value) / most, 1) * (signed ? 50 : 100);
  const from = !signed ? 0 : value < 0 ? 50 - share : 50;
  const inside = [
    h("span", { class: "bars-label" }, label),
    h(
      "span",
      { class: "bars-track" },
      h("span", {
        class: value < 0 ? "bars-fill bars-negative" : "bars-fill",
        style: { left: `${from}%`, width: `${Number.isFinite(share) ? share : 0}%` },
      }),
    ),
    h("span", { class: "bars-value number" }, format(value, i)),
  ];
  const name = String(label?.textContent ?? label);
  const given = { class: "bars-row", "data-test": test, "data-value": value, "data-label": name };
  if (!onPick) return h("div", { ...given, role: "listitem" }, inside);
  const chosen = { type: "button", "aria-pressed": String(i === picked), onclick: () => onPick(i) };
  return h("button", { ...given, ...chosen }, inside);
}
