// How one word was cut, told step by step, for each kind of vocabulary.

import { counted, h, num, whole } from "../dom.js";

const WAYS = {
  wordpiece:
    "WordPiece: from the left, it takes the longest beginning that is in the vocabulary, then goes on with the " +
    "rest. ## marks a piece that goes on with a word.",
  bpe:
    "Byte-level BPE: a word begins as single bytes; the pair of neighbours that was learned first is joined, " +
    "again and again. Ġ marks a space before the word. No word is unknown.",
  unigram:
    "Unigram: each piece has a probability, and the cut with the greatest product is taken. ▁ marks a space " +
    "before the word.",
  other: "",
};

const HIDES = "It is a sign of the vocabulary itself: a word that the model does not see and shall tell.";

export function wayOf({ kind, vocabulary, rules }) {
  const first = `This vocabulary has ${whole(vocabulary)} pieces. `;
  const before = rules.length ? ` Before that, ${rules.join(", ")}.` : "";
  return first + WAYS[kind] + before;
}

export function storyOf(word, answer) {
  const pieces = word.places.map((place) => answer.pieces[place].piece);
  return [
    h("h2", {}, "Why ", h("span", { class: "words-quoted" }, word.written), verdict(word, pieces)),
    word.normal.replace(/^[ ▁]/, "") !== word.written &&
      h(
        "p",
        {},
        "It is read as ",
        h("code", { "data-test": "normal-form" }, word.normal),
        word.changes.length > 0 && `: ${word.changes.join(", ")}`,
        ".",
      ),
    word.added
      ? h("p", {}, isMask(word, answer) ? HIDES : "It is a sign of the vocabulary itself, taken as it stands.")
      : tell[answer.kind]?.(word, answer),
  ];
}

const isMask = (word, { mask }) => word.written === mask;

function verdict(word, pieces) {
  if (word.unknown) return " is unknown";
  return pieces.length === 1 ? " is one piece" : ` is ${pieces.length} pieces`;
}

const tell = {
  wordpiece(word) {
    const { steps, too_long: tooLong } = word.story;
    if (tooLong) return h("p", {}, `It has more than ${tooLong} letters. Such words are not cut: they are unknown.`);
    return [
      h(
        "ol",
        { class: "words-steps" },
        steps.map((step) => h("li", { "data-test": "cut-step" }, ladder(step))),
      ),
      word.unknown &&
        h(
          "p",
          { class: "note" },
          "If no piece fits at one place, the whole word becomes [UNK]: the model learns nothing of its letters.",
        ),
    ];
  },

  bpe(word) {
    if (!word.story) return tooMuch();
    const { letters, merges } = word.story;
    let now = letters;
    const rows = [h("li", {}, row(now, -1), h("span", { class: "note" }, counted(letters.length, "byte")))];
    for (const { place, made, rank } of merges) {
      now = [...now.slice(0, place), made, ...now.slice(place + 2)];
      const learned = h("span", { class: "note" }, `pair no. ${whole(rank)}`);
      rows.push(h("li", { "data-test": "cut-step" }, row(now, place), learned));
    }
    return [
      h("ol", { class: "words-merges" }, rows),
      h("p", { class: "note" }, "No pair that is left was ever learned: these are the pieces."),
    ];
  },

  unigram(word) {
    if (!word.story) return tooMuch();
    const [best] = word.story.ways;
    return h(
      "table",
      { class: "words-ways" },
      h("thead", {}, h("tr", {}, h("th", {}, "way to cut it"), h("th", { class: "number" }, "log p"), h("th", {}, ""))),
      h(
        "tbody",
        {},
        word.story.ways.map((way) =>
          h(
            "tr",
            { "data-test": "cut-step", class: way === best ? "words-best" : "" },
            h("td", {}, row(way.pieces, -1), h("div", { class: "note" }, summed(way.scores))),
            h("td", { class: "number", "data-value": way.score }, num(way.score, 4)),
            h("td", {}, way === best ? "taken" : `${num(Math.exp(best.score - way.score), 2)} times less probable`),
          ),
        ),
      ),
    );
  },
};

const summed = (scores) => scores.map((one) => (one < 0 && scores.length > 1 ? `(${num(one)})` : num(one))).join(" + ");
const tooMuch = () => h("p", { class: "note" }, "It is too long to be told step by step.");

function row(pieces, fresh) {
  return h(
    "span",
    { class: "words-pieces" },
    pieces.map((one, i) => h("span", { class: i === fresh ? "words-piece words-fresh" : "words-piece" }, one)),
  );
}

const SHOWN = 14; // candidates of one step; of more, the first and the last are shown

/** The beginnings of the rest that were tried, longest first, down to the one that is in the vocabulary. */
function ladder({ prefix, rest, tried, found, id }) {
  const letters = Array.from(rest);
  const lines = [];
  for (let i = 0; i < tried; i += 1) {
    const size = letters.length - i;
    const isFound = found !== null && i === tried - 1;
    if (tried > SHOWN && i === SHOWN / 2) {
      const others = counted(tried - SHOWN, "shorter one");
      lines.push(h("div", { class: "words-try words-gap" }, `… ${others}, none of them known …`));
      i = tried - SHOWN / 2 - 1;
      continue;
    }
    lines.push(
      h(
        "div",
        { class: isFound ? "words-try words-found" : "words-try" },
        h(
          "span",
          { class: "words-candidate" },
          h("span", { class: "words-prefix" }, prefix),
          letters.slice(0, size).join(""),
          h("span", { class: "words-rest", "aria-hidden": "true" }, letters.slice(size).join("")),
        ),
        h("span", { class: "words-verdict" }, isFound ? `in the vocabulary: no. ${whole(id)}` : "no"),
      ),
    );
  }
  if (found === null) {
    lines.push(h("div", { class: "words-try bad" }, "Not even its first letter is in the vocabulary."));
  }
  return lines;
}
