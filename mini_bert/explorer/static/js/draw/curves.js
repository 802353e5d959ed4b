// Curves over an axis, with a readout under the pointer and a legend.

import { clear, h, num, svg } from "../dom.js";
import { axis } from "./axis.js";
import { category, onTheme } from "./colours.js";

const MARGIN = { top: 14, right: 16, bottom: 40, left: 58 };

/**
 * options: series [{name, x, y, colour?, dashed?, band? {low, high}}], xLabel, yLabel, logX, logY, wholeX (only
 * whole numbers beside the axis), height,
 * marks [{x, label}], yRange [low, high], xRange, dots (draw points), onPick(x): called with the nearest x of the
 * first series at a click; label (for screen readers).
 */
export function curves(host, options) {
  const plot = h("div", { class: "curves-plot" });
  const legend = h("div", { class: "curves-legend" });
  const readout = h("output", { class: "curves-readout number", "aria-live": "off" });
  const element = h("figure", { class: "curves" }, plot, h("figcaption", {}, legend, readout));
  host.append(element);
  let all = { height: 240 };
  let width = 0;
  let scales = null;

  function update(changes) {
    all = { ...all, ...changes };
    draw();
  }

  function draw() {
    width = plot.clientWidth || 480;
    const { height } = all;
    const series = all.series.map((one, i) => ({ ...one, colour: one.colour ?? category(i) }));
    scales = scalesOf(all, width, height);
    const made = svg(
      "svg",
      { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": all.label ?? spoken(all) },
      axes(scales, all, width, height),
      series.map((one) => drawn(one, scales, all)),
      (all.marks ?? []).map((mark) => marked(mark, scales, height)),
      svg("line", { class: "curves-cursor", y1: MARGIN.top, y2: height - MARGIN.bottom, visibility: "hidden" }),
    );
    made.addEventListener("pointermove", (event) => point(event, series, made));
    made.addEventListener("pointerleave", () => unpoint(made));
    if (all.onPick) {
      made.classList.add("curves-pickable");
      made.addEventListener("click", (event) => all.onPick(nearest(series[0].x, xAt(event, made))));
    }
    clear(plot, made);
    const named = series.filter((one) => one.name);
    clear(
      legend,
      named.map((one) =>
        h("span", {}, h("i", { style: { background: one.colour, opacity: one.dashed ? 0.6 : 1 } }), one.name),
      ),
    );
  }

  const xAt = (event, made) => scales.x.value(event.clientX - made.getBoundingClientRect().left);

  function point(event, series, made) {
    const first = series.find((one) => one.x.length);
    if (!first) return;
    const x = nearest(first.x, xAt(event, made));
    const cursor = made.querySelector(".curves-cursor");
    const at = scales.x.place(x);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    cursor.setAttribute("visibility", "visible");
    const values = series
      .map((one) => [one.name, one.y[indexOf(one.x, x)]])
      .filter(([, y]) => Number.isFinite(y))
      .map(([name, y]) => `${name ? `${name} ` : ""}${num(y, 4)}`);
    readout.textContent = [`${all.xLabel ?? "x"} ${num(x, 4)}`, values.join(", ")].filter(Boolean).join(": ");
  }

  function unpoint(made) {
    made.querySelector(".curves-cursor").setAttribute("visibility", "hidden");
    readout.textContent = "";
  }

  const stop = onTheme(() => (element.isConnected ? draw() : stop()));
  const watcher = new ResizeObserver(() => {
    if (Math.abs(plot.clientWidth - width) > 4) draw();
  });
  watcher.observe(plot);
  update(options);
  return {
    element,
    update,
    destroy() {
      stop();
      watcher.disconnect();
      element.remove();
    },
  };
}

function scalesOf({ series, marks = [], logX, logY, wholeX, xRange, yRange }, width, height) {
  const xs = [...series.flatMap((one) => Array.from(one.x)), ...marks.map((mark) => mark.x)];
  const ys = series.flatMap((one) => [
    ...Array.from(one.y),
    ...Array.from(one.band?.low ?? []),
    ...Array.from(one.band?.high ?? []),
  ]);
  const x = axis(xRange ?? xs, MARGIN.left, width - MARGIN.right, {
    log: logX,
    ticks: Math.max(2, width / 90),
    tight: true,
  });
  if (wholeX) x.ticks = x.ticks.filter((tick) => Math.abs(tick - Math.round(tick)) < 1e-9);
  const y = axis(yRange ?? ys, height - MARGIN.bottom, MARGIN.top, { log: logY, ticks: Math.max(2, height / 45) });
  return { x, y };
}

function axes({ x, y }, { xLabel, yLabel }, width, height) {
  const [left, right] = [MARGIN.left, width - MARGIN.right];
  const [bottom, top] = [height - MARGIN.bottom, MARGIN.top];
  return svg(
    "g",
    { class: "curves-axes" },
    y.ticks.map((tick) => [
      svg("line", { class: "curves-grid", x1: left, x2: right, y1: y.place(tick), y2: y.place(tick) }),
      svg(
        "text",
        { x: left - 8, y: y.place(tick), "text-anchor": "end", "dominant-baseline": "central" },
        y.told(tick),
      ),
    ]),
    x.ticks.map((tick) => svg("text", { x: x.place(tick), y: bottom + 17, "text-anchor": "middle" }, x.told(tick))),
    svg("line", { x1: left, x2: right, y1: bottom, y2: bottom }),
    xLabel && svg("text", { class: "curves-title", x: right, y: height - 5, "text-anchor": "end" }, xLabel),
    yLabel && svg("text", { class: "curves-title", x: 2, y: top - 3 }, yLabel),
  );
}

function drawn(one, scales, { dots }) {
  const points = Array.from(one.x, (x, i) => [scales.x.place(x), scales.y.place(one.y[i])]);
  const path = line(points);
  return svg(
    "g",
    { class: "curves-series", "data-test": "curve", "data-name": one.name ?? "" },
    one.band && svg("path", { class: "curves-band", d: area(one, scales), fill: one.colour }),
    svg("path", {
      d: path,
      fill: "none",
      stroke: one.colour,
      "stroke-width": 2,
      "stroke-dasharray": one.dashed && "5 4",
    }),
    (dots ?? points.length <= 24) &&
      points
        .filter((place) => place.every(Number.isFinite))
        .map(([cx, cy]) => svg("circle", { cx, cy, r: 3, fill: one.colour })),
  );
}

function line(points) {
  let pen = "M";
  return points
    .map(([x, y]) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        pen = "M";
        return "";
      }
      const part = `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
      pen = "L";
      return part;
    })
    .join("");
}

function area({ x, band }, scales) {
  const edge = (values) => Array.from(x, (one, i) => [scales.x.place(one), scales.y.place(values[i])]);
  const points = [...edge(band.low), ...edge(band.high).reverse()].filter((place) => place.every(Number.isFinite));
  return points.length ? `${line(points)}Z` : "";
}

function marked({ x, label }, scales, height) {
  const at = scales.x.place(x);
  return svg(
    "g",
    { class: "curves-mark" },
    svg("line", { x1: at, x2: at, y1: MARGIN.top, y2: height - MARGIN.bottom }),
    label && svg("text", { x: at + 4, y: MARGIN.top + 10 }, label),
  );
}

function indexOf(xs, x) {
  let best = 0;
  for (let i = 1; i < xs.length; i += 1) if (Math.abs(xs[i] - x) < Math.abs(xs[best] - x)) best = i;
  return best;
}

const nearest = (xs, x) => xs[indexOf(xs, x)];
const spoken = ({ series, xLabel, yLabel }) =>
  `Curves of ${
    series
      .map((one) => one.name)
      .filter(Boolean)
      .join(", ") ||
    yLabel ||
    "values"
  } over ${xLabel ?? "x"}`;
