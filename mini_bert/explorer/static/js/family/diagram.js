// A model as boxes, from the pieces down to the answer; what differs from its neighbour is marked.

import { svg, whole } from "../dom.js";

const WIDTH = 300;
const BOX = 216;
const LEFT = 54;
const LINE = 15;
const PAD = 9;
const GAP = 16;
const STAGE_GAP = 26;
const LETTERS = 35; // of small print in a box
const PLUS = 12;

/** side: {name, stages: [{title, times, shared, boxes}]}; returns an SVG element. */
export function diagram(side) {
  const frames = [];
  const parts = [];
  let y = 8;
  let before = null;
  for (const stage of side.stages) {
    const placed = placedStage(stage, y);
    if (before !== null) parts.push(arrow(before, placed.first));
    frames.push(placed.frame);
    parts.push(...placed.parts);
    before = placed.last;
    y = placed.bottom + STAGE_GAP;
  }
  const height = y - STAGE_GAP + 8;
  return svg(
    "svg",
    {
      class: "family-diagram",
      viewBox: `0 0 ${WIDTH} ${height}`,
      width: WIDTH,
      height,
      role: "img",
      "aria-label": spoken(side),
      "data-test": "diagram",
    },
    frames,
    parts,
  );
}

function placedStage(stage, top) {
  let y = top + 34;
  const first = y;
  const boxes = [];
  const links = [];
  let start = null;
  let last = null;
  for (const box of stage.boxes) {
    const tall = heightOf(box);
    if (last !== null && !isAside(box)) links.push(arrow(last, y));
    if (box.starts) start = last === null ? y - 8 : (last + y) / 2;
    if (box.ends && start !== null) links.push(around(start, y + PLUS));
    boxes.push(drawnBox(box, y, tall));
    last = y + tall;
    y = last + GAP;
  }
  const bottom = last + 12;
  const differs = stage.differs || stage.times_differ;
  const title = svg(
    "text",
    { class: differs ? "family-stage-title family-differs" : "family-stage-title", x: 22, y: top + 20 },
    titleOf(stage),
  );
  const frame = svg("rect", { class: "family-stage", x: 8, y: top, width: WIDTH - 16, height: bottom - top, rx: 12 });
  return { frame, parts: [title, ...links, ...boxes], first, last, bottom };
}

function titleOf({ title, times, shared }) {
  if (times === 1) return title;
  return shared ? `One ${title.toLowerCase()}, called ${whole(times)} times` : `${title}, ${whole(times)} of them`;
}

/** What is told beside the answer, and not made from it. */
const isAside = (box) => box.id === "second";
const isPlus = (box) => box.kind === "plus" && box.label === "+";

function linesOf(box) {
  return [...wrapped(box.detail), ...wrapped(box.size)];
}

function heightOf(box) {
  return isPlus(box) ? 2 * PLUS : 2 * PAD + LINE * (1 + linesOf(box).length);
}

function drawnBox(box, y, tall) {
  const middle = LEFT + BOX / 2;
  const marked = box.differs ? " family-differs" : "";
  if (isPlus(box)) {
    return svg(
      "g",
      { class: `family-box family-plus${marked}` },
      svg("circle", { cx: middle, cy: y + PLUS, r: PLUS }),
      svg("text", { x: middle, y: y + PLUS, "text-anchor": "middle", "dominant-baseline": "central" }, "+"),
    );
  }
  const small = linesOf(box);
  const sizes = wrapped(box.size).length;
  return svg(
    "g",
    {
      class: `family-box family-${box.kind}${marked}`,
      "data-test": "box",
      "data-box": box.id,
      "data-differs": String(box.differs),
    },
    svg("rect", { x: LEFT, y, width: BOX, height: tall, rx: 8 }),
    svg("text", { class: "family-label", x: middle, y: y + PAD + 11, "text-anchor": "middle" }, box.label),
    small.map((line, i) =>
      svg(
        "text",
        {
          class: i >= small.length - sizes && box.size_differs ? "family-small family-size" : "family-small",
          x: middle,
          y: y + PAD + 11 + LINE * (i + 1),
          "text-anchor": "middle",
        },
        line,
      ),
    ),
  );
}

function arrow(from, to) {
  const x = LEFT + BOX / 2;
  return svg(
    "g",
    { class: "family-arrow" },
    svg("line", { x1: x, x2: x, y1: from, y2: to - 1 }),
    svg("path", { d: `M${x - 3.5} ${to - 6}L${x} ${to - 0.5}L${x + 3.5} ${to - 6}` }),
  );
}

/** The way around a sublayer: from above it to the plus behind it. */
function around(from, to) {
  const x = LEFT + BOX / 2;
  const side = LEFT - 20;
  const end = x - PLUS;
  return svg(
    "g",
    { class: "family-arrow family-around" },
    svg("path", {
      d:
        `M${x} ${from}H${side + 8}Q${side} ${from} ${side} ${from + 8}` +
        `V${to - 8}Q${side} ${to} ${side + 8} ${to}H${end - 1}`,
    }),
    svg("path", { d: `M${end - 6} ${to - 3.5}L${end - 0.5} ${to}L${end - 6} ${to + 3.5}` }),
  );
}

function wrapped(text) {
  if (!text) return [];
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > LETTERS) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}

const spoken = ({ name, stages }) => {
  const boxes = (one) => one.boxes.map((box) => [box.label, box.detail].filter(Boolean).join(", ")).join("; ");
  return `${name}: ${stages.map((one) => `${titleOf(one)}: ${boxes(one)}`).join(". ")}`;
};
