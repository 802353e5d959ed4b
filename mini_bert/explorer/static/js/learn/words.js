// The words at the hidden place, at the start and now.

import { clear, h, percent } from "../dom.js";

export function wordsThenAndNow(host, answer) {
  const several = answer.asked.length > 1;
  clear(
    host,
    answer.asked.slice(0, 3).map((place, at) =>
      h(
        "div",
        {},
        several && h("p", { class: "note" }, `place ${place.place}`),
        h(
          "table",
          { class: "then-now" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", {}, "word"),
              h("th", {}, h("span", { class: "visually-hidden" }, "bar")),
              h("th", { class: "number" }, "start"),
              h("th", { class: "number" }, "now"),
            ),
          ),
          h(
            "tbody",
            {},
            answer.words[at].slice(0, 12).map((word) => row(word, place.answer.token, fullBar(answer.words[at]))),
          ),
        ),
      ),
    ),
  );
}

/** The probability of a bar of full width: small ones would not be seen beside 1. */
const fullBar = (words) => Math.max(0.1, ...words.map(({ then, now }) => Math.max(then, now ?? 0)));

function row({ word, then, now }, answer, full) {
  const width = (p) => `${(100 * (p ?? 0)) / full}%`;
  return h(
    "tr",
    { class: word === answer ? "answer" : "", "data-test": "learn-word", "data-word": word, "data-value": now },
    h("th", { scope: "row" }, word.replace(/^##/, "…")),
    h(
      "td",
      { class: "then-now-bar" },
      h("i", { class: "then", style: { width: width(then) } }),
      h("i", { class: "now", style: { width: width(now) } }),
    ),
    h("td", { class: "number" }, percent(then)),
    h("td", { class: "number" }, percent(now)),
  );
}
