// The elements of a view as SVG: boxes, borders, texts line by line, canvases as images, drawings with their styles.

import { give, svg } from "../dom.js";
import { controls } from "./controls.js";
import { linesOf } from "./lines.js";

const MARGIN = 16;
const NAMESPACE = "http://www.w3.org/2000/svg";
const DRAWN = [
  "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "visibility", "display", "font-family", "font-size", "font-weight", "font-style",
  "text-anchor", "dominant-baseline", "letter-spacing", "marker-end", "marker-start", "mix-blend-mode", "paint-order",
];

/** {markup, width, height} of what is seen of an element. */
export function composed(root) {
  const box = root.getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 2 * MARGIN, Math.ceil(box.height) + 2 * MARGIN];
  const paper = getComputedStyle(document.body).backgroundColor;
  const sheet = svg("rect", { width, height, fill: paper });
  const made = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, svg("defs"), sheet);
  const drawing = { made, defs: made.firstChild, left: box.left - MARGIN, top: box.top - MARGIN, count: 0 };
  made.setAttribute("xmlns", NAMESPACE);
  element(root, made, drawing);
  return { markup: new XMLSerializer().serializeToString(made), width, height };
}

function element(node, parent, drawing) {
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden" || Number(style.opacity) === 0) return;
  if (node.classList.contains("visually-hidden")) return;
  const box = node.getBoundingClientRect();
  const at = { x: box.left - drawing.left, y: box.top - drawing.top, width: box.width, height: box.height };
  const group = svg("g", Number(style.opacity) < 1 ? { opacity: style.opacity } : {});
  background(style, at, group, drawing);
  borders(style, at, group);
  if (node.localName === "canvas") image(node, at, group);
  else if (node.localName === "svg") graphic(node, at, group);
  else if (node.localName in controls) controls[node.localName](node, at, style, group);
  else inside(node, style, at, group, drawing);
  if (node.localName === "li" && style.listStyleType === "decimal") listNumber(node, at, style, group);
  if (node.namespaceURI?.endsWith("MathML")) mathLines(node, at, style, group, drawing);
  if (group.childNodes.length) parent.append(group);
}

function inside(node, style, at, group, drawing) {
  let host = group;
  const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
  if (clips && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)) {
    const id = `clip-${(drawing.count += 1)}`;
    drawing.defs.append(svg("clipPath", { id }, svg("rect", at)));
    host = svg("g", { "clip-path": `url(#${id})` });
    group.append(host);
  }
  const isClosed = node.localName === "details" && !node.open;
  for (const child of isClosed ? node.querySelectorAll(":scope > summary") : node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) texts(child, style, host, drawing);
    else if (child.nodeType === Node.ELEMENT_NODE) element(child, host, drawing);
  }
}

const isClear = (colour) => colour === "transparent" || /rgba\(.*, 0\)$/.test(colour) || / \/ 0\)$/.test(colour);

const radiusOf = (style, { width, height }) =>
  Math.min(parseFloat(style.borderTopLeftRadius) || 0, width / 2, height / 2);

function background(style, at, group, drawing) {
  const radius = radiusOf(style, at);
  if (!isClear(style.backgroundColor)) group.append(svg("rect", { ...at, rx: radius, fill: style.backgroundColor }));
  const stops = /^linear-gradient\(to right, (.*)\)$/.exec(style.backgroundImage)?.[1].match(/rgba?\([^)]*\)/g);
  if (!stops) return;
  const id = `gradient-${(drawing.count += 1)}`;
  const share = (i) => `${(100 * i) / (stops.length - 1)}%`;
  drawing.defs.append(
    svg("linearGradient", { id }, stops.map((colour, i) => svg("stop", { offset: share(i), "stop-color": colour }))),
  );
  group.append(svg("rect", { ...at, rx: radius, fill: `url(#${id})` }));
}

function borders(style, { x, y, width, height }, group) {
  const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
    thick: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]) || 0,
    colour: style[`border${side}Color`],
    dashed: style[`border${side}Style`] === "dashed" || undefined,
  }));
  const [first] = sides;
  if (sides.every((one) => one.thick === first.thick && one.colour === first.colour)) {
    if (!first.thick || isClear(first.colour)) return;
    const half = first.thick / 2;
    const radius = Math.max(0, radiusOf(style, { width, height }) - half);
    const [inner, high] = [width, height].map((size) => Math.max(0, size - first.thick));
    const place = { x: x + half, y: y + half, width: inner, height: high, rx: radius };
    group.append(svg("rect", { ...place, fill: "none", ...penOf(first) }));
    return;
  }
  const ends = [
    [x, y, x + width, y],
    [x + width, y, x + width, y + height],
    [x, y + height, x + width, y + height],
    [x, y, x, y + height],
  ];
  sides.forEach((side, i) => {
    const [x1, y1, x2, y2] = ends[i];
    if (side.thick && !isClear(side.colour)) group.append(svg("line", { x1, y1, x2, y2, ...penOf(side) }));
  });
}

const penOf = ({ thick, colour, dashed }) => ({
  stroke: colour,
  "stroke-width": thick,
  "stroke-dasharray": dashed && "4 3",
});

function image(canvas, at, group) {
  if (!canvas.width || !canvas.height || !at.width) return;
  group.append(svg("image", { ...at, href: canvas.toDataURL("image/png"), style: "image-rendering: pixelated" }));
}

/** A copy whose styles no longer need our style sheets. */
function graphic(node, { x, y, width, height }, group) {
  const copy = node.cloneNode(true);
  const [from, to] = [[node, ...node.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const name of DRAWN) give(to[i], name, style.getPropertyValue(name) || null);
    to[i].removeAttribute("class");
    to[i].removeAttribute("style");
    if (one.localName === "text" || one.localName === "tspan") give(to[i], "fill", style.fill);
  });
  for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, value);
  group.append(copy);
}

function texts(node, style, group, drawing) {
  for (const { text, left, width, baseline } of linesOf(node, style)) {
    group.append(
      svg(
        "text",
        {
          x: (left - drawing.left).toFixed(2),
          y: (baseline - drawing.top).toFixed(2),
          ...(isSlanted(node) ? {} : { textLength: width.toFixed(2), lengthAdjust: "spacingAndGlyphs" }),
          fill: style.color,
          "font-family": node.parentNode.localName === "mi" ? `${style.fontFamily}, serif` : style.fontFamily,
          "font-size": style.fontSize,
          "font-weight": style.fontWeight,
          "font-style": isSlanted(node) ? "italic" : style.fontStyle,
          "text-decoration": style.textDecorationLine === "none" ? null : style.textDecorationLine,
          "xml:space": "preserve",
        },
        text,
      ),
    );
  }
}

/** Browsers slant the single letters of formulas by themselves. */
const isSlanted = ({ parentNode: { localName, attributes }, data }) =>
  localName === "mi" && !attributes.mathvariant && [...data.trim()].length === 1;

function listNumber(node, { x, y }, style, group) {
  const size = parseFloat(style.fontSize);
  const number = [...node.parentNode.children].indexOf(node) + 1;
  const given = { x: x - size * 0.4, y: y + size * 1.15, "text-anchor": "end", fill: style.color, opacity: 0.6 };
  group.append(svg("text", { ...given, "font-family": style.fontFamily, "font-size": style.fontSize }, `${number}.`));
}

/** What browsers draw in a formula beside letters: the bar of a fraction, the hook of a root. */
function mathLines(node, at, style, group, drawing) {
  const line = { stroke: style.color, "stroke-width": 1, fill: "none" };
  if (node.localName === "mfrac" && node.children.length === 2) {
    const [above, below] = [...node.children].map((child) => child.getBoundingClientRect());
    const y = (above.bottom + below.top) / 2 - drawing.top;
    group.append(svg("path", { ...line, d: `M${at.x} ${y}h${at.width}` }));
  } else if (node.localName === "msqrt" && node.firstElementChild) {
    const inner = node.firstElementChild.getBoundingClientRect().left - drawing.left;
    const [middle, low, high] = [at.y + at.height * 0.6, at.y + at.height, at.y + 1];
    const third = (inner - at.x) / 3;
    const hook = `M${at.x} ${middle}h${third}L${at.x + 2 * third} ${low}L${inner} ${high}`;
    group.append(svg("path", { ...line, d: `${hook}H${at.x + at.width}` }));
  }
}
