// Controls in a picture: what is chosen or typed in them.

import { svg } from "../dom.js";

function written(text, { x, y, height }, style, group) {
  const size = parseFloat(style.fontSize);
  group.append(
    svg(
      "text",
      {
        x: x + (parseFloat(style.paddingLeft) || 4) + 1,
        y: y + Math.min(height / 2, size * 1.4) + size * 0.35,
        fill: style.color,
        "font-family": style.fontFamily,
        "font-size": style.fontSize,
      },
      text,
    ),
  );
}

function slider(node, { x, y, width, height }, accent, group) {
  const [low, high] = [Number(node.min || 0), Number(node.max || 100)];
  const share = high > low ? (Number(node.value) - low) / (high - low) : 0;
  const [middle, room] = [y + height / 2, width - 16];
  const at = x + 8 + share * room;
  const line = { x1: x + 8, y1: middle, y2: middle, "stroke-width": 4, "stroke-linecap": "round" };
  group.append(
    svg("line", { ...line, x2: x + width - 8, stroke: "#999" }),
    svg("line", { ...line, x2: at, stroke: accent }),
    svg("circle", { cx: at, cy: middle, r: 7, fill: accent }),
  );
}

function box(node, { x, y, width, height }, accent, group) {
  const round = node.type === "radio" ? width / 2 : 2;
  group.append(svg("rect", { x, y, width, height, rx: round, fill: node.checked ? accent : "none", stroke: "#888" }));
}

const accentOf = () => getComputedStyle(document.documentElement).getPropertyValue("--accent");

export const controls = {
  textarea(node, at, style, group) {
    const line = parseFloat(style.lineHeight) || parseFloat(style.fontSize) * 1.4;
    node.value
      .split("\n")
      .slice(0, Math.max(1, Math.floor(at.height / line)))
      .forEach((text, i) => written(text, { ...at, y: at.y + i * line, height: line }, style, group));
  },
  select: (node, at, style, group) => written(node.selectedOptions[0]?.textContent ?? "", at, style, group),
  input(node, at, style, group) {
    if (node.type === "range") slider(node, at, accentOf(), group);
    else if (node.type === "checkbox" || node.type === "radio") box(node, at, accentOf(), group);
    else written(node.value || node.placeholder, at, style, group);
  },
};
