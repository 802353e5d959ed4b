// The first step back, softmax minus one-hot: which words are pushed down, and which one is pulled up.

import { clear, h, num, percent } from "../dom.js";
import { bars } from "../draw/bars.js";

export function firstStep(host, asked) {
  clear(host, asked.slice(0, 3).map(place));
}

function place(one) {
  const box = h("div", { class: "first-step" });
  box.append(
    h(
      "p",
      {},
      "Guess minus truth at place ",
      h("b", {}, one.place),
      ": what this step does to the score of each word. A step against the gradient raises ",
      h("b", {}, one.answer.word),
      " and lowers all others, each by as much as the model believed in it.",
    ),
  );
  bars(box, {
    labels: one.words.map((word) => `${word.word}  ${percent(word.probability)}${word.is_answer ? " − 1" : ""}`),
    values: one.words.map((word) => word.slope),
    format: (x) => num(x, 4),
    label: "gradient of the scores of the words that are moved most",
    test: "slope-word",
  });
  box.append(
    h(
      "p",
      { class: "note" },
      `${one.others.toLocaleString("en-GB")} other words together: ${num(one.others_slope, 4)}. All of them add ` +
        "up to 0.",
    ),
  );
  return box;
}
