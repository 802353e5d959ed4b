// What layers are like as a whole, and which are alike.

import { clear, h, num, percent } from "../dom.js";
import { heatmap } from "../draw/heatmap.js";

/** A row for each layer, with three figures of its space. */
export function layerFigures(host, { answer, layer, onLayer }) {
  function goTo(i) {
    onLayer(i);
    host.querySelector("tr.current button")?.focus();
  }

  const rows = answer.layers.map((title, i) => {
    const shown = answer.explained.at(i, 0) + answer.explained.at(i, 1);
    const used = answer.effective_dimension.at(i);
    const alike = answer.anisotropy.at(i);
    return h(
      "tr",
      { class: i === layer ? "current" : null, "data-test": "layer-figures" },
      h("th", { scope: "row" }, h("button", { class: "link", type: "button", onclick: () => goTo(i) }, title)),
      barred(shown, shown, percent(shown)),
      barred(used, used / Math.max(...answer.effective_dimension.data), num(used, 3)),
      barred(alike, Math.max(alike, 0), num(alike, 2)),
    );
  });
  clear(
    host,
    h("h3", {}, "The layers as a whole"),
    h(
      "div",
      { class: "table-frame" },
      h(
        "table",
        { class: "layer-figures" },
        h(
          "tr",
          {},
          h("th", {}, "after"),
          h("th", {}, "in the picture"),
          h("th", {}, "directions in use"),
          h("th", {}, "all words alike"),
        ),
        rows,
      ),
    ),
    h(
      "p",
      { class: "note" },
      `“In the picture”: how much of the differences between words two of ${answer.dimensions} dimensions can show. `,
      "“Directions in use”: over how many directions the differences are spread (participation ratio). ",
      "“All words alike”: the mean cosine of any two words (anisotropy); near 1, all point the same way.",
    ),
  );
}

function barred(value, share, text) {
  return h(
    "td",
    { class: "barred", "data-value": value },
    h("span", { class: "bar", style: { width: `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(1)}%` } }),
    h("span", { class: "number" }, text),
  );
}

/** CKA of every two layers. */
export function layerSimilarity(host) {
  const frame = h("div");
  host.append(
    h("h3", {}, "Which layers say the same"),
    frame,
    h(
      "p",
      { class: "note" },
      "1: two layers find the same words alike, up to a turn of their space. Lower: a layer has rearranged them (CKA).",
    ),
  );
  let map = null;
  return {
    update(answer, layer, onLayer) {
      const names = answer.layers.map((title) => title.replace("layer ", "").replace("embeddings", "e"));
      const options = {
        tensor: answer.similarity,
        rows: answer.layers.length,
        cols: answer.layers.length,
        scale: "unit",
        rowLabels: answer.layers,
        colLabels: names,
        label: "likeness of layers (CKA)",
        cell: 34,
        pick: [layer, layer],
        onPick: (row) => onLayer(row),
      };
      if (map) map.update(options);
      else map = heatmap(frame, options);
    },
    close: () => map?.destroy(),
  };
}
