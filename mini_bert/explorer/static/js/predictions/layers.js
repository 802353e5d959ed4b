// What each layer would say if it were the last: words, and the way of one answer to the top.

import { clear, h, num, percent } from "../dom.js";
import { inkOn, onTheme, positive } from "../draw/colours.js";
import { curves } from "../draw/curves.js";
import { ordinal } from "../attention/naming.js";

/** onMeasure("probability" | "rank") */
export function layersPanel(host, { onMeasure }) {
  const title = h("h2", {});
  const table = h("div", { class: "scroll-x" });
  const plot = h("div");
  const measures = ["probability", "rank"].map((measure) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "data-measure": measure,
        "data-test": `measure-${measure}`,
        onclick: () => onMeasure(measure),
      },
      measure,
    ),
  );
  const note = h("p", { class: "note" });
  const plotTitle = h("h3");
  host.append(
    title,
    note,
    table,
    h("div", { class: "row detail-top layers-top" }, plotTitle, h("div", { class: "row" }, measures)),
    plot,
  );
  let drawn = null;
  let last = null;
  const stop = onTheme(() => last && update(last));

  function update(given) {
    last = given;
    const { lens, column, answer, measure } = given;
    const L = lens.words.length;
    const rows = Array.from({ length: L }, (_, i) => (i === 0 ? "embeddings" : `layer ${i - 1}`));
    title.textContent = "Layer by layer";
    note.textContent =
      "What the model would say if it ended after this layer (its own last norm and head read the state there: " +
      "the logit lens). A strong colour is probable. To go: how far its words are still from the last ones (KL " +
      "divergence, in nats).";
    clear(
      table,
      h(
        "table",
        { class: "lens", "data-test": "lens" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, "after"),
            h("th", { colspan: lens.words[0][column].length }, "best words"),
            h("th", { class: "number" }, `“${answer.word}”`),
            h("th", { class: "number" }, "rank"),
            h(
              "th",
              {
                class: "number",
                title: "Kullback–Leibler divergence of the last layer's distribution from this one's, in nats",
              },
              "to go",
            ),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((name, i) => layer(name, i, lens, column)),
        ),
      ),
    );
    const x = rows.map((_, i) => i);
    const isRank = measure === "rank";
    plotTitle.textContent = isRank
      ? `The rank of “${answer.word}”: 1 is the best`
      : `The probability of “${answer.word}”`;
    for (const one of measures) one.setAttribute("aria-pressed", String(one.dataset.measure === measure));
    const y = x.map((i) => (isRank ? lens.rank.at(i, column) + 1 : lens.answer_probability.at(i, column)));
    const options = {
      series: [{ name: "", x, y }],
      xLabel: "layers passed",
      wholeX: true,
      yLabel: isRank ? "rank" : "probability",
      logY: isRank,
      yRange: isRank ? undefined : [0, Math.max(...y) * 1.05 || 1],
      height: 190,
      dots: true,
      label: `${isRank ? "Rank" : "Probability"} of ${answer.word} after each layer`,
    };
    if (drawn) drawn.update(options);
    else drawn = curves(plot, options);
  }

  return {
    update,
    destroy() {
      stop();
      drawn?.destroy();
    },
  };
}

function layer(name, i, lens, column) {
  return h(
    "tr",
    { "data-test": "lens-row", "data-layer": i },
    h("th", { scope: "row" }, name),
    lens.words[i][column].map((word, n) => {
      const probability = lens.probabilities.at(i, column, n);
      const colour = positive(Math.sqrt(probability));
      return h(
        "td",
        {
          class: "lens-word",
          style: { background: colour, color: inkOn(colour) },
          "data-value": probability,
          title: percent(probability),
        },
        h("span", {}, word),
        h("small", {}, percent(probability)),
      );
    }),
    h("td", { class: "number" }, percent(lens.answer_probability.at(i, column))),
    h("td", { class: "number" }, ordinal(lens.rank.at(i, column))),
    h("td", { class: "number" }, num(Math.max(0, lens.divergence.at(i, column)), 3)),
  );
}
