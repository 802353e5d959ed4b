// Two columns of words, and lines from each word on the left to those on the right that it looks at.

import { clear, num, svg } from "../dom.js";
import { readable } from "../pieces.js";

const LEAST = 0.02; // fainter lines are left out while all are shown
const THICKEST = 7;
const LETTER = 7.6; // about as wide as one, in pixels
const LONGEST = 14;
const PERCENT = 46;

/**
 * options: pieces, weights (Tensor, T × T: row i looks at column j), from (place of the only word whose lines are
 * shown, or null), onPick(place or null), label, fromTitle, toTitle.
 * Pointing at a word, or focusing it, shows its lines alone; a click keeps them.
 */
export function arcs(host, options) {
  const element = svg("svg", { class: "arcs", role: "group" });
  host.append(element);
  let all = { from: null };
  let pointed = null; // {side: "from" | "to", place}
  let isDrawing = false;

  function update(changes) {
    all = { ...all, ...changes };
    draw();
  }

  function shownOnly() {
    return pointed ?? (all.from === null || all.from === undefined ? null : { side: "from", place: all.from });
  }

  function draw() {
    const focused = document.activeElement?.closest?.(".arcs-word");
    const kept = focused && element.contains(focused) ? focused.dataset.key : null;
    const T = all.pieces.length;
    const high = T > 28 ? 19 : 25;
    const width = Math.max(290, Math.min(element.parentElement?.clientWidth || 420, 560));
    const height = T * high + 30;
    const only = shownOnly();
    const column = 16 + LETTER * Math.min(LONGEST, Math.max(5, ...all.pieces.map((piece) => readable(piece).length)));
    const size = { high, left: PERCENT + column, right: width - column - PERCENT, width };
    isDrawing = true;
    element.setAttribute("width", width);
    element.setAttribute("height", height);
    element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    element.setAttribute("aria-label", all.label ?? "Lines from each piece to those it looks at");
    clear(
      element,
      svg("text", { class: "arcs-title", x: size.left, y: 14, "text-anchor": "end" }, all.fromTitle ?? "this piece"),
      svg("text", { class: "arcs-title", x: size.right, y: 14 }, all.toTitle ?? "looks at"),
      svg("g", { class: "arcs-lines" }, lines(only, size)),
      all.pieces.map((piece, i) => [word("from", piece, i, only, size), word("to", piece, i, only, size)]),
    );
    isDrawing = false;
    if (kept) element.querySelector(`[data-key="${kept}"]`)?.focus({ preventScroll: true });
  }

  function lines(only, { high, left, right }) {
    const T = all.pieces.length;
    const made = [];
    const [x1, x2] = [left + 6, right - 6];
    const middle = (x1 + x2) / 2;
    for (let i = 0; i < T; i += 1) {
      if (only?.side === "from" && only.place !== i) continue;
      for (let j = 0; j < T; j += 1) {
        if (only?.side === "to" && only.place !== j) continue;
        const weight = all.weights.at(i, j);
        if (!(weight >= (only ? 0.003 : LEAST))) continue;
        const [y1, y2] = [yOf(i, high), yOf(j, high)];
        made.push(
          svg("path", {
            d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
            "stroke-width": Math.max(0.6, THICKEST * weight).toFixed(2),
            "stroke-opacity": Math.min(1, 0.12 + 0.88 * weight).toFixed(3),
            "data-weight": weight,
          }),
        );
      }
    }
    return made;
  }

  function word(side, piece, place, only, { high, left, right, width }) {
    const isFrom = side === "from";
    const y = yOf(place, high);
    const share = weightOf(side, place, only);
    const isIt = only?.side === side && only.place === place;
    const x = isFrom ? left : right;
    const classes = ["arcs-word"];
    if (isIt) classes.push("arcs-it");
    if (share !== null && share < 0.05) classes.push("arcs-faint");
    const made = svg(
      "g",
      {
        class: classes.join(" "),
        tabindex: "0",
        role: "button",
        "data-key": `${side}${place}`,
        "data-test": `arcs-${side}`,
        "data-place": place,
        "data-value": share ?? "",
        "aria-label": spoken(side, piece, place),
        "aria-pressed": String(isFrom && all.from === place),
      },
      svg("rect", {
        x: isFrom ? 0 : right - 4,
        y: y - high / 2 + 1,
        width: isFrom ? left + 4 : width - right + 4,
        height: high - 2,
        rx: 5,
      }),
      svg("text", { x, y, "text-anchor": isFrom ? "end" : "start" }, short(readable(piece))),
      share !== null &&
        svg(
          "text",
          { class: "arcs-share", x: isFrom ? 4 : width - 2, y, "text-anchor": isFrom ? "start" : "end" },
          `${num(100 * share, share < 0.0995 ? 2 : 3)}%`,
        ),
    );
    made.addEventListener("pointerenter", () => point({ side, place }));
    made.addEventListener("pointerleave", () => point(null));
    made.addEventListener("focus", () => made.matches(":focus-visible") && point({ side, place }));
    made.addEventListener("blur", () => point(null));
    made.addEventListener("click", () => pick(side, place));
    made.addEventListener("keydown", (event) => key(event, side, place));
    return made;
  }

  /** The share at the other end of the lines that are shown alone. */
  function weightOf(side, place, only) {
    if (!only || only.side === side) return null;
    return side === "to" ? all.weights.at(only.place, place) : all.weights.at(place, only.place);
  }

  function point(to) {
    if (isDrawing || (to?.side === pointed?.side && to?.place === pointed?.place)) return;
    pointed = to;
    draw();
  }

  function pick(side, place) {
    if (side === "from") all.onPick?.(all.from === place ? null : place);
  }

  function key(event, side, place) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) element.querySelector(`[data-key="${side}${place + step}"]`)?.focus();
    else if (event.key === "ArrowRight") element.querySelector(`[data-key="to${place}"]`)?.focus();
    else if (event.key === "ArrowLeft") element.querySelector(`[data-key="from${place}"]`)?.focus();
    else if (event.key === "Enter" || event.key === " ") pick(side, place);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function spoken(side, piece, place) {
    const row = side === "from" ? all.weights.at(place).toList() : all.pieces.map((_, i) => all.weights.at(i, place));
    const best = row.indexOf(Math.max(...row));
    const told = `${all.pieces[best]} ${num(100 * row[best], 2)} percent`;
    return side === "from"
      ? `${piece}, place ${place}, looks most at ${told}`
      : `${piece}, place ${place}, is looked at most by ${told}`;
  }

  update(options);
  return { element, update };
}

const yOf = (place, high) => 30 + (place + 0.5) * high;
const short = (word) => (word.length > LONGEST ? `${word.slice(0, LONGEST - 1)}…` : word);
