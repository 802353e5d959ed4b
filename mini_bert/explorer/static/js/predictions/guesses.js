// The best words for one place, and how sure the model is.

import { h, num, percent, whole } from "../dom.js";
import { bars } from "../draw/bars.js";
import { isMask, readable } from "../pieces.js";
import { ordinal } from "../attention/naming.js";

const TITLES = {
  hidden: ({ place }) => `What stands at place ${place}?`,
  target: ({ place }) => `What stands at place ${place}?`,
  best: ({ place, piece }) => (isMask(piece) ? `What stands at place ${place}?` : "What comes next?"),
  itself: ({ place, piece }) => `“${readable(piece)}” at place ${place}, told again`,
  next: ({ place, piece }) => `What comes after “${readable(piece)}” (place ${place})?`,
  class: () => "What is it?",
};

/**
 * A card of one place. onTarget(token or null): the word to be asked about in its place; onPick: this place is
 * looked into.
 */
export function guesses(one, { vocabulary, picked, onPick, onTarget, isFile }) {
  const card = h(
    "section",
    {
      class: picked ? "panel guesses guesses-picked" : "panel guesses",
      "data-test": "guesses",
      "data-place": one.place,
    },
    h(
      "div",
      { class: "row detail-top" },
      h("h2", {}, TITLES[one.why](one)),
      onPick &&
        h(
          "button",
          { type: "button", class: "chip", "data-test": "look-into", "aria-pressed": String(picked), onclick: onPick },
          picked ? "looked into" : "look into it",
        ),
    ),
    told(one, vocabulary),
  );
  bars(card, {
    labels: one.words.map(({ word, token }) => (token.startsWith("##") ? token : word)),
    values: one.words.map(({ probability }) => probability),
    most: Math.max(one.words[0]?.probability ?? 0, 0.2),
    format: percent,
    picked: one.words.findIndex(({ token }) => token === one.answer.token),
    onPick: onTarget && !isFile ? (i) => onTarget(one.words[i].token) : undefined,
    label: "The most probable words",
    test: "prediction",
  });
  if (onTarget && !isFile) card.append(another(onTarget));
  if (onTarget && one.why === "target") {
    card.append(
      h(
        "p",
        { class: "row guesses-more" },
        h("span", { class: "note" }, `“${one.answer.word}” is the word you chose: all views ask for it.`),
        !isFile &&
          h(
            "button",
            { type: "button", class: "button quiet", "data-test": "clear-target", onclick: () => onTarget(null) },
            "Forget it",
          ),
      ),
    );
  } else if (onTarget && !isFile) {
    card.append(
      h(
        "p",
        { class: "note guesses-more" },
        "Click a word to follow it through the layers and to ask what speaks for it.",
      ),
    );
  }
  return card;
}

/** A word that is not among the best can be asked for too. */
function another(onTarget) {
  const box = h("input", {
    type: "text",
    "data-test": "target-word",
    "aria-label": "Another word to ask for",
    placeholder: "another word",
    size: 12,
    autocomplete: "off",
    spellcheck: "false",
  });
  const send = (event) => {
    event.preventDefault();
    if (box.value.trim()) onTarget(box.value.trim());
  };
  return h(
    "form",
    { class: "row guesses-more", onsubmit: send },
    box,
    h("button", { class: "button", type: "submit" }, "Ask for it"),
  );
}

function told(one, vocabulary) {
  const isClass = one.why === "class";
  const sureness =
    `As unsure as between ${like(Math.exp(one.entropy))} equal ${isClass ? "ones" : "words"} ` +
    `(entropy ${num(one.entropy, 3)} nats).`;
  const lines = [];
  if (one.why === "hidden") lines.push(ranked("The hidden word", one, vocabulary));
  if (one.why === "target") lines.push(ranked("Your word", one, vocabulary));
  if (one.original) lines.push(ranked("The hidden word", { answer: one.original, ...one.original }, vocabulary));
  if (one.why === "itself") lines.push(ranked("The piece itself", one, vocabulary));
  if (one.why === "next") lines.push(ranked("What does come", one, vocabulary));
  return h(
    "div",
    { class: "guesses-told" },
    lines,
    h("p", { class: "note", "data-test": "entropy", "data-value": one.entropy }, sureness),
  );
}

function ranked(name, { answer, probability, rank }, vocabulary) {
  return h(
    "p",
    { "data-test": "answer", "data-value": probability, "data-rank": rank },
    `${name}, “`,
    h("b", {}, answer.word),
    `”, is the ${ordinal(rank)} of ${whole(vocabulary)}, with ${percent(probability)}.`,
  );
}

const like = (n) => (n < 10 ? num(n, 2) : whole(n));
