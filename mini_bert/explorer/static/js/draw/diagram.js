// The model as boxes and lines, drawn from a layout; one box is picked, and what flows into it lights up.

import { clear, svg } from "../dom.js";

const ARROW = "diagram-arrow";

/**
 * options: layout (forward/layout.js), picked (name of a step, or of a block that is closed), lit (set of names that
 * flow into it), sizes(step) -> numbers for its spark, onPick(step), onToggle(block), label.
 */
export function diagram(host, options) {
  const element = svg("svg", { class: "diagram", role: "group", "data-test": "diagram" });
  element.addEventListener("keydown", key);
  host.append(element);
  let all = {};

  function update(changes) {
    all = { ...all, ...changes };
    const { layout, label = "The model" } = all;
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    element.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    element.setAttribute("width", layout.width);
    element.setAttribute("height", layout.height);
    element.setAttribute("aria-label", `${label}. Arrow keys walk along the steps.`);
    const edges = [...layout.edges].sort((a, b) => isLit(a) - isLit(b));
    clear(
      element,
      svg("defs", {}, marker(ARROW, "diagram-head"), marker(`${ARROW}-lit`, "diagram-head diagram-head-lit")),
      layout.blocks.map(frame),
      edges.map(line),
      layout.nodes.map((node) => (node.step ? box(node) : closed(node))),
    );
    if (focused) nodeOf(focused)?.focus({ preventScroll: true });
  }

  const isLit = (edge) => edge.pairs.some(([from, to]) => to === all.picked && all.lit?.has(from));
  const nodeOf = (name) => [...element.querySelectorAll("[data-name]")].find((one) => one.dataset.name === name);

  function line(edge) {
    const lit = isLit(edge);
    const end = `url(#${ARROW}${lit ? "-lit" : ""})`;
    return svg("path", { d: edge.path, class: `diagram-line${lit ? " diagram-lit" : ""}`, "marker-end": end });
  }

  /** The frame of an open block, with its name, and brackets for its parts. */
  function frame(block) {
    if (!block.open) return null;
    const title = svg(
      "g",
      {
        class: "diagram-title",
        role: "button",
        tabindex: "0",
        "aria-expanded": "true",
        "data-test": "block",
        "data-block": block.name,
        onclick: () => all.onToggle(block.name),
      },
      svg("rect", { x: 8, y: block.y + 4, width: 150, height: 22, class: "diagram-hit" }),
      svg("path", { d: `M15 ${block.y + 12}l4 5 4 -5`, class: "diagram-turn" }),
      svg("text", { x: 30, y: block.y + 19 }, block.name),
    );
    const around = { x: 0.5, y: block.y + 0.5, width: block.width - 1, height: block.height - 1, rx: 10 };
    return svg(
      "g",
      {},
      svg("rect", { ...around, class: "diagram-frame" }),
      title,
      (block.parts ?? []).map((part) => {
        const middle = (part.from + part.to) / 2;
        return svg(
          "g",
          { class: "diagram-part", "aria-hidden": "true" },
          svg("path", { d: `M22 ${part.from}h-4v${part.to - part.from}h4` }),
          svg("text", { x: 12, y: middle, transform: `rotate(-90 12 ${middle})` }, part.name),
        );
      }),
    );
  }

  /** A step: name, shape, and the size of each piece's numbers. */
  function box(node) {
    const { step } = node;
    const [left, top] = [node.x - node.width / 2, node.y - node.height / 2];
    const picked = step.name === all.picked;
    const marks = ["diagram-node"];
    if (picked) marks.push("diagram-picked");
    if (all.lit?.has(step.name)) marks.push("diagram-source");
    if (step.changed) marks.push("diagram-changed");
    const learned = { x: left, y: top + 7, width: 3, height: node.height - 14, class: "diagram-weights" };
    return svg(
      "g",
      {
        class: marks.join(" "),
        role: "button",
        tabindex: picked || (!all.picked && step === all.layout.nodes[0].step) ? "0" : "-1",
        "aria-pressed": String(picked),
        "aria-label": `${step.face}${step.plain ? `, ${step.plain}` : ""}: ${step.spelled}`,
        "data-test": "node",
        "data-name": step.name,
        onclick: () => all.onPick(step),
      },
      svg("title", {}, `${step.called}: ${step.plain || step.face}, ${step.spelled}`),
      svg("rect", { x: left, y: top, width: node.width, height: node.height, rx: 7, class: "diagram-box" }),
      step.weights.length > 0 && svg("rect", learned),
      svg("text", { x: left + 10, y: top + 17, class: "diagram-face" }, step.face),
      svg("text", { x: left + 10, y: top + 34, class: "diagram-shape" }, shapeOf(step)),
      spark(all.sizes?.(step), left + node.width - 42, top + 24, 34, 11),
    );
  }

  /** A block whose steps are not shown. */
  function closed(node) {
    const { block } = node;
    const [left, top] = [node.x - node.width / 2, node.y - node.height / 2];
    const picked = block.steps.some((step) => step.name === all.picked);
    return svg(
      "g",
      {
        class: `diagram-node diagram-closed${picked ? " diagram-picked" : ""}`,
        role: "button",
        tabindex: "0",
        "aria-expanded": "false",
        "aria-label": `${block.name}, ${block.steps.length} steps: open`,
        "data-test": "block",
        "data-block": block.name,
        "data-name": block.name,
        onclick: () => all.onToggle(block.name),
      },
      svg("rect", { x: left, y: top, width: node.width, height: node.height, rx: 10, class: "diagram-box" }),
      svg("path", { d: `M${left + 15} ${node.y - 5}l5 5 -5 5`, class: "diagram-turn" }),
      svg("text", { x: left + 31, y: node.y - 2, class: "diagram-face" }, block.name),
      svg("text", { x: left + 31, y: node.y + 13, class: "diagram-shape" }, `${block.steps.length} steps`),
      spark(all.sizes?.(block.steps.at(-1)), left + node.width - 66, node.y - 8, 54, 16),
    );
  }

  function key(event) {
    const at = event.target.closest("[data-name], [data-block]");
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") at.dispatchEvent(new MouseEvent("click", { bubbles: false }));
    else if (event.key.startsWith("Arrow")) walk(at, event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest box in the direction of the arrow; a step is picked at once. */
  function walk(at, direction) {
    const name = at.dataset.name ?? at.dataset.block;
    const from = all.layout.nodes.find((node) => node.id === name) ?? all.layout.nodes[0];
    const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[direction];
    const ahead = (node) => (node.x - from.x) * dx + (node.y - from.y) * dy;
    const aside = (node) => Math.abs((node.x - from.x) * dy) + Math.abs((node.y - from.y) * dx);
    const next = all.layout.nodes
      .filter((node) => ahead(node) > 1 && (dy || aside(node) < 1))
      .sort((a, b) => ahead(a) + aside(a) / 1000 - ahead(b) - aside(b) / 1000)[0];
    if (!next) return;
    nodeOf(next.id)?.focus();
    if (next.step) all.onPick(next.step);
  }

  update(options);
  return { element, update, nodeOf };
}

function marker(id, name) {
  const size = { viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7 };
  return svg(
    "marker",
    { id, ...size, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0 0.5L7 4L0 7.5z", class: name }),
  );
}

/** Without the axis of the one text: 4 × 9 × 48 */
const shapeOf = (step) => (step.shape[0] === 1 ? step.shape.slice(1) : step.shape).join(" × ") || "1";

/** A bar for each piece. */
function spark(sizes, x, y, width, height) {
  const known = sizes ? Array.from(sizes) : [];
  const most = Math.max(...known);
  if (!known.length || !(most > 0) || !known.every(Number.isFinite)) return null;
  const step = width / known.length;
  const thick = Math.max(step - (step > 3 ? 1 : 0), 0.6);
  const d = known.map((size, i) => {
    const high = (size / most) * height;
    return `M${(x + i * step).toFixed(2)} ${y + height}v${(-high).toFixed(2)}h${thick.toFixed(2)}v${high.toFixed(2)}z`;
  });
  return svg("path", { d: d.join(""), class: "diagram-spark" });
}
