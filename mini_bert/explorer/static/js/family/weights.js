// Where the weights of two models are: a bar for each, cut into parts.

import { h, large, percent, svg, whole } from "../dom.js";
import { category } from "../draw/colours.js";
import { hideTip, showTip } from "../draw/tooltip.js";

const LEAST = 0.004; // of the bar: thinner parts are told in the table only

/** sides: [{name, parameters, weights: [{part, count}]}]; parts: the names of all, in the order of the data */
export function weightBars(sides, parts) {
  const most = Math.max(...sides.map((side) => side.parameters));
  return h(
    "div",
    { class: "family-weights" },
    sides.map((side) => bar(side, parts, most)),
    h("div", { class: "scroll-x" }, table(sides, parts)),
  );
}

function bar(side, parts, most) {
  let from = 0;
  const cut = side.weights.map(({ part, count }) => {
    const share = count / side.parameters;
    const piece = svg("rect", {
      x: `${100 * from}%`,
      width: `${100 * Math.max(share - 0.001, 0.0005)}%`,
      height: "100%",
      fill: category(parts.indexOf(part)),
      onpointermove: (event) => showTip(`${part}: ${whole(count)} (${percent(share)})`, event.clientX, event.clientY),
      onpointerleave: hideTip,
    });
    from += share;
    return share >= LEAST ? piece : null;
  });
  return h(
    "div",
    {},
    h(
      "div",
      { class: "row family-bar-title" },
      h("strong", {}, side.name),
      h(
        "span",
        { class: "number", "data-value": side.parameters, "data-test": "parameters" },
        `${large(side.parameters)} weights`,
      ),
    ),
    svg(
      "svg",
      { class: "family-bar", width: "100%", height: 22, role: "img", "aria-label": `Weights of ${side.name} by part` },
      cut,
    ),
    side.parameters < most / 1.5 &&
      svg(
        "svg",
        { class: "family-scale", width: "100%", height: 4, "aria-hidden": "true" },
        svg("rect", { width: `${Math.max(0.3, (100 * side.parameters) / most)}%`, height: "100%" }),
      ),
    side.parameters < most / 1.5 && h("small", { class: "note" }, "the thin line: its size beside the other model"),
  );
}

function table(sides, parts) {
  const of = (side, part) => side.weights.find((one) => one.part === part)?.count ?? 0;
  return h(
    "table",
    { class: "family-table" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {}, "part"),
        sides.map((side) => h("th", { class: "number" }, side.name)),
      ),
    ),
    h(
      "tbody",
      {},
      parts.map((part, i) => {
        const counts = sides.map((side) => of(side, part));
        return h(
          "tr",
          { class: counts.some((count) => !count) ? "family-row-differs" : null },
          h("td", {}, h("i", { class: "family-key", style: { background: category(i) } }), part),
          counts.map((count) => h("td", { class: "number", "data-value": count }, count ? whole(count) : "–")),
        );
      }),
    ),
  );
}
