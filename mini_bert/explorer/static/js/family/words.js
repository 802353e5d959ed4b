// The same sentence in every model that has weights here: its pieces, and its words for what is hidden.

import { clear, h, percent } from "../dom.js";
import { isMask, isSpecial, readable } from "../pieces.js";

export function wordsPanel(host) {
  const body = h("div", { class: "columns" });
  const element = h(
    "section",
    { class: "panel", "data-test": "family-words" },
    h("h2", {}, "The same sentence, in the models that are trained here"),
    body,
  );
  host.append(element);
  return {
    element,
    /** answers: those of family_words; a model that could not read it has {model, problem} */
    update(answers) {
      clear(body, answers.map(readBy));
    },
  };
}

function readBy(answer) {
  return h(
    "article",
    { class: "family-read", "data-test": "family-reading", "data-model": answer.model },
    h("h3", {}, answer.model),
    answer.problem
      ? h("p", { class: "note" }, answer.problem)
      : [
          h(
            "p",
            { class: "family-pieces" },
            answer.pieces.map((piece) => h("span", { class: classOf(piece) }, readable(piece))),
          ),
          answer.places.map((place) =>
            h(
              "p",
              { class: "family-guesses" },
              h("span", { class: "note" }, `place ${place.place}: `),
              place.best.map((one, i) =>
                h(
                  "span",
                  { class: i ? null : "family-best", "data-value": one.probability },
                  `${one.word} ${percent(one.probability)}`,
                ),
              ),
            ),
          ),
          answer.places.length === 0 && h("p", { class: "note" }, toldOf(answer)),
        ],
  );
}

const classOf = (piece) => (isMask(piece) ? "family-mask" : isSpecial(piece) ? "family-special" : null);
const toldOf = ({ tells }) =>
  tells === "words" ? "Hide a word in the sentence above to see what it would say." : "This model tells no words.";
