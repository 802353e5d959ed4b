// What the steps did to the model: its parts, the rows of words, and what it says of other sentences.

import { clear, h, num, percent, whole } from "../dom.js";
import { readable } from "../pieces.js";

/** Gradient and movement of every part, from the embeddings up. */
export function partsMoved(host, { parts, taken }) {
  const most = (key) => Math.max(1e-30, ...parts.map((one) => one[key] ?? 0));
  const largest = { gradient: most("gradient"), share: Math.max(1e-30, ...parts.map(share)) };
  clear(
    host,
    h(
      "div",
      { class: "scroll-x" },
      h(
        "table",
        { class: "parts" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, "part"),
            h("th", { colspan: 2 }, "gradient ‖g‖ now"),
            h("th", { class: "number" }, "last step"),
            h("th", { colspan: 2 }, "since the start"),
          ),
        ),
        h(
          "tbody",
          {},
          parts.map((one) =>
            h(
              "tr",
              { "data-test": "part", "data-part": one.part },
              h("th", { scope: "row" }, one.part),
              h("td", { class: "number", "data-value": one.gradient }, num(one.gradient)),
              meter(one.gradient / largest.gradient),
              h("td", { class: "number" }, taken ? percent(one.moved_last / one.size) : "–"),
              h("td", { class: "number", "data-value": share(one) }, taken ? percent(share(one)) : "–"),
              meter(taken ? share(one) / largest.share : 0),
            ),
          ),
        ),
      ),
    ),
    h("p", { class: "note" }, "How far the weights went beside how large they are: ‖Δw‖ / ‖w‖."),
  );
}

const share = (one) => (one.size ? one.moved / one.size : 0);
const meter = (part) =>
  h("td", { class: "meter" }, h("i", { style: { width: `${100 * Math.min(Math.max(part || 0, 0), 1)}%` } }));

/** Rows of the tables of words that moved most. */
export function wordsMoved(host, { moved_words: tables, taken }) {
  if (!taken) return clear(host, h("p", { class: "note" }, "Take a step, and see which words' rows it moves."));
  clear(
    host,
    tables.map(({ name, role, moved, words }) =>
      h(
        "div",
        { class: "moved-words" },
        h("p", {}, h("code", {}, name), ` (words ${role}): ${whole(moved)} rows moved, most of all`),
        h(
          "p",
          { class: "row" },
          words.map((one) =>
            h(
              "span",
              { class: "chip", title: `‖Δ‖ ${num(one.moved)}` },
              readable(one.word),
              h("small", { class: "number" }, one.share === null ? "" : percent(one.share)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Other sentences, before and now: learning one thing may cost others. */
export function otherSentences(host, { others, others_note: note, taken }) {
  clear(
    host,
    note && h("p", { class: "note" }, note),
    others.length > 0 &&
      h(
        "div",
        { class: "scroll-x" },
        h(
          "table",
          { class: "others" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", {}, "sentence"),
              h("th", {}, "at the start"),
              h("th", {}, "now"),
              h("th", { class: "number" }, "unchanged"),
            ),
          ),
          h(
            "tbody",
            {},
            others.map((one) =>
              h(
                "tr",
                { "data-test": "other", "data-overlap": one.overlap },
                h("td", {}, one.text),
                h("td", {}, one.before.word, " ", h("small", { class: "number" }, percent(one.before.probability))),
                h(
                  "td",
                  { class: one.now.word !== one.before.word ? "bad" : "" },
                  one.now.word,
                  " ",
                  h("small", { class: "number" }, percent(one.now.probability)),
                ),
                h("td", { class: "number" }, percent(one.overlap)),
              ),
            ),
          ),
        ),
      ),
    taken > 0 &&
      others.length > 0 &&
      h(
        "p",
        { class: "note" },
        "“Unchanged” is how much of the model's belief is where it was: the smaller of the two probabilities, " +
          "summed over all words.",
      ),
  );
}
