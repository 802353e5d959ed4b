// Words as points in a plane. They can be moved from one arrangement to the next; labels give way to each other.

import { clear, give, svg } from "../dom.js";
import { category } from "./colours.js";

const MARGIN = { x: 54, y: 30 };
const SIDES = [
  { dx: 9, dy: 4, anchor: "start" },
  { dx: -9, dy: 4, anchor: "end" },
  { dx: 0, dy: -9, anchor: "middle" },
  { dx: 0, dy: 18, anchor: "middle" },
];
const LETTER = 6.7; // mean width of a letter at 13 px, in pixels
const LINE = 14;
const SHAPES = [
  (r) => svg("circle", { r }),
  (r) => svg("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r }),
  (r) => svg("path", { d: `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0Z` }),
];
const COLOURS = 8;

/** The sign of a group: a colour, and another shape when the colours are used up. */
export function sign(group, radius = 4) {
  const shape = SHAPES[Math.floor(group / COLOURS) % SHAPES.length](radius);
  give(shape, "fill", category(group));
  return shape;
}

/**
 * scatter(host, { label, onPick(i), onPoint(i or null) })
 *   .place(arrangement)   arrangement({width, height}) -> [[x, y], ...] in pixels
 *   .mark({picked, path: [arrangement of one point], near: Set, found: Set, bright: group or null})
 *   .words([{label, group, about, own}])   whose points are drawn from now on
 */
export function scatter(host, { label, onPick, onPoint }) {
  const path = svg("path", { class: "scatter-path", fill: "none" });
  const stops = svg("g", { class: "scatter-stops" });
  const layer = svg("g", {});
  const element = svg("svg", { class: "scatter", role: "group", "aria-label": label }, path, stops, layer);
  host.append(element);
  const size = { width: 640, height: 440 };
  let nodes = [];
  let words = [];
  let pixels = [];
  let marks = { picked: null, path: [], near: new Set(), found: new Set(), bright: null };
  let draw = () => {};

  const observer = new ResizeObserver(() => {
    measure();
    draw();
  });
  observer.observe(host);
  measure();

  function measure() {
    size.width = Math.max(host.clientWidth, 280);
    size.height = Math.round(Math.min(Math.max(size.width * 0.62, 320), 540));
    give(element, "viewBox", `0 0 ${size.width} ${size.height}`);
    give(element, "width", size.width);
    give(element, "height", size.height);
  }

  function setWords(given) {
    words = given;
    nodes = words.map((word, i) => {
      const text = svg("text", { class: "scatter-label" }, word.label);
      const hit = svg("circle", { class: "scatter-hit", r: 11 });
      const node = svg(
        "g",
        {
          class: "scatter-word",
          tabindex: 0,
          role: "button",
          "aria-label": word.about,
          "data-test": "word-point",
          "data-word": i,
          onclick: () => onPick(i),
          onkeydown: (event) => pressed(event, i),
          onpointerenter: () => onPoint(i),
          onpointerleave: () => onPoint(null),
        },
        svg("title", {}, word.about),
        hit,
        sign(word.group, word.own ? 5.5 : 4),
        text,
      );
      node.classList.toggle("own", Boolean(word.own));
      return { node, text, side: 0 };
    });
    clear(layer, ...nodes.map(({ node }) => node));
    applyMarks();
  }

  function pressed(event, i) {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onPick(i);
  }

  function place(arrangement) {
    draw = () => {
      pixels = arrangement(size);
      nodes.forEach(({ node }, i) =>
        give(node, "transform", `translate(${pixels[i][0].toFixed(1)} ${pixels[i][1].toFixed(1)})`),
      );
      drawPath();
      placeLabels();
    };
    draw();
  }

  function drawPath() {
    const points = marks.path.length ? marks.path.map((one) => one(size)) : [];
    give(path, "d", points.length ? "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L") : "");
    clear(
      stops,
      ...points.map(([x, y], i) =>
        svg(
          "g",
          { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
          svg("circle", { r: 7 }),
          svg("text", { y: 3.5, "text-anchor": "middle" }, i === 0 ? "e" : String(i - 1)),
        ),
      ),
    );
  }

  /** The most wanted first: each takes a free side of its point, or goes without. */
  function placeLabels() {
    const order = words.map((_, i) => i).sort((a, b) => wanted(b) - wanted(a) || a - b);
    const taken = pixels.map(([x, y]) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 }));
    const own = [];
    for (const i of order) {
      const { text } = nodes[i];
      const at = [nodes[i].side, 0, 1, 2, 3].find((side) => isFree(box(i, side), taken, own, i));
      const must = wanted(i) >= 3;
      give(text, "visibility", at === undefined && !must ? "hidden" : "visible");
      if (at === undefined && !must) continue;
      nodes[i].side = at ?? nodes[i].side;
      const { dx, dy, anchor } = SIDES[nodes[i].side];
      give(text, "x", dx);
      give(text, "y", dy);
      give(text, "text-anchor", anchor);
      own.push(box(i, nodes[i].side));
    }
  }

  function box(i, side) {
    const { dx, dy, anchor } = SIDES[side];
    const width = words[i].label.length * LETTER + 2;
    const [x, y] = [pixels[i][0] + dx, pixels[i][1] + dy];
    const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
    return { left, right: left + width, top: y - LINE + 3, bottom: y + 3 };
  }

  function isFree(one, points, labels, i) {
    if (one.left < 0 || one.right > size.width || one.top < 0 || one.bottom > size.height) return false;
    return !labels.some((other) => meets(one, other)) && !points.some((other, j) => j !== i && meets(one, other));
  }

  function wanted(i) {
    if (i === marks.picked) return 5;
    if (marks.found.has(i)) return 4;
    if (marks.near.has(i)) return 3;
    if (words[i].group === marks.bright) return 2;
    return words[i].own ? 1 : 0;
  }

  function applyMarks() {
    const quiet = marks.found.size || marks.bright !== null || marks.picked !== null;
    nodes.forEach(({ node }, i) => {
      const { classList } = node;
      classList.toggle("picked", i === marks.picked);
      classList.toggle("near", marks.near.has(i));
      classList.toggle("found", marks.found.has(i));
      classList.toggle("quiet", Boolean(quiet) && wanted(i) < 2);
      give(node, "aria-pressed", String(i === marks.picked));
    });
  }

  return {
    element,
    words: setWords,
    place,
    mark(given) {
      marks = { ...marks, ...given };
      applyMarks();
      draw();
    },
    focus: (i) => nodes[i]?.node.focus({ preventScroll: true }),
    close: () => observer.disconnect(),
  };
}

/** Points [[x, y], ...] fitted into a frame of some size, with one scale for both axes. */
export function fitted(points, { width, height }) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 2 * MARGIN.x) / (right - left || 1), (height - 2 * MARGIN.y) / (high - low || 1));
  return points.map(([x, y]) => [
    width / 2 + (x - (left + right) / 2) * scale,
    height / 2 - (y - (low + high) / 2) * scale,
  ]);
}

const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
