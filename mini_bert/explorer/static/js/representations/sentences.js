// The sentences with their signs: the key to the picture, a way to its words, and where a word occurs.

import { clear, h, svg } from "../dom.js";
import { sign } from "../draw/scatter.js";

/** The sign that a sentence's words have in the picture. */
export function marker(text) {
  const mark = sign(text, 5);
  return svg("svg", { class: "marker", viewBox: "-8 -8 16 16", width: 14, height: 14, "aria-hidden": "true" }, mark);
}

/** A sentence in parts: its words, each with its number among all, and what stands between them. */
function partsOf(answer, text) {
  const parts = [];
  const sentence = answer.texts[text];
  let done = 0;
  answer.words.forEach((word, number) => {
    if (word.text !== text) return;
    const at = sentence.indexOf(word.spelled, done);
    if (at > done) parts.push({ said: sentence.slice(done, at), number: null });
    parts.push({ said: word.spelled, number });
    done = at + word.spelled.length;
  });
  if (done < sentence.length) parts.push({ said: sentence.slice(done), number: null });
  return parts;
}

/** The sentence of a word with the word marked. */
export function inContext(answer, number) {
  const parts = partsOf(answer, answer.words[number].text);
  return h(
    "span",
    {},
    parts.map((part) => (part.number === number ? h("mark", {}, part.said) : part.said)),
  );
}

/** All sentences, each word a button; `mark(picked, found)` shows which of them are meant. */
export function sentenceList(host, answer, { onPick, onPoint }) {
  const buttons = new Map();
  const word = ({ said, number }) => {
    if (number === null) return said;
    buttons.set(number, h("button", { type: "button", class: "sentence-word", onclick: () => onPick(number) }, said));
    return buttons.get(number);
  };
  clear(
    host,
    answer.texts.map((_, text) =>
      h(
        "li",
        { onpointerenter: () => onPoint(text), onpointerleave: () => onPoint(null) },
        marker(text),
        h(
          "span",
          {},
          partsOf(answer, text).map(word),
          text === answer.own && h("span", { class: "tag" }, "your sentence"),
        ),
      ),
    ),
  );
  return function mark(picked, found) {
    for (const [number, button] of buttons) {
      button.classList.toggle("picked", number === picked);
      button.classList.toggle("found", found.has(number));
      button.setAttribute("aria-pressed", String(number === picked));
    }
  };
}

/** Where the sought word occurs: one line for each place, the word in the middle. */
export function concordance(host, { answer, sought, found, onPick }) {
  if (!sought) return clear(host);
  if (!found.size) {
    return clear(
      host,
      h("p", { class: "note", "data-test": "found-none" }, `No sentence has “${sought}”. Add one that has.`),
    );
  }
  const rows = [...found].map((number) => {
    const { text } = answer.words[number];
    const parts = partsOf(answer, text);
    const at = parts.findIndex((part) => part.number === number);
    const said = (some) => some.map((part) => part.said).join("");
    return h(
      "tr",
      {},
      h("td", { class: "before" }, said(parts.slice(0, at))),
      h(
        "td",
        {},
        h("button", { type: "button", class: "link", onclick: () => onPick(number) }, marker(text), parts[at].said),
      ),
      h("td", { class: "after" }, said(parts.slice(at + 1))),
    );
  });
  return clear(
    host,
    h("div", { class: "table-frame" }, h("table", { class: "concordance", "data-test": "concordance" }, rows)),
  );
}
