// One word: the words that are nearest to it in each layer.

import { clear, h, num } from "../dom.js";
import { positive, inkOn } from "../draw/colours.js";
import { marker, inContext } from "./sentences.js";

/** What is near the picked word, layer by layer; the present layer stands out. */
export function wordPanel(host, { answer, picked, layer, onPick, onLayer }) {
  if (picked === null) {
    return clear(
      host,
      h("h3", {}, "Which words are near?"),
      h(
        "p",
        { class: "note" },
        "Pick a word in the picture or in a sentence: here you will see its nearest words in every layer.",
      ),
    );
  }
  const word = answer.words[picked];
  return clear(
    host,
    h("h3", { "data-test": "picked-word", tabindex: -1 }, `Nearest to “${word.spelled}”`),
    h("p", { class: "in-context" }, marker(word.text), inContext(answer, picked)),
    h(
      "div",
      { class: "table-frame" },
      h(
        "table",
        { class: "nearest", "data-test": "nearest" },
        answer.layers.map((title, i) => row(title, i)),
      ),
    ),
    h(
      "p",
      { class: "note" },
      "The number is the cosine, after what all words have in common is taken away: 1 points the same way, 0 " +
        "has nothing to do with it.",
    ),
  );

  function goTo(i) {
    onLayer(i);
    host.querySelector("tr.current button")?.focus();
  }

  function follow(number) {
    onPick(number);
    host.querySelector("h3").focus();
  }

  function row(title, i) {
    const near = Array.from(answer.nearest.at(i, picked).data);
    return h(
      "tr",
      { class: i === layer ? "current" : null },
      h("th", { scope: "row" }, h("button", { class: "link", type: "button", onclick: () => goTo(i) }, title)),
      near.map((number, k) => h("td", {}, neighbour(number, answer.cosines.at(i, picked, k)))),
    );
  }

  function neighbour(number, cosine) {
    const other = answer.words[number];
    const colour = positive(0.62 * Math.max(cosine, 0));
    return h(
      "button",
      {
        class: "neighbour",
        type: "button",
        style: { background: colour, color: inkOn(colour) },
        title: answer.texts[other.text],
        "data-value": cosine,
        onclick: () => follow(number),
      },
      marker(other.text),
      h("span", { class: "spelled" }, other.spelled),
      h("span", { class: "number" }, num(cosine, 2)),
    );
  }
}
