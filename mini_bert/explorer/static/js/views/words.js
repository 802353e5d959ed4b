// Words to pieces: how the vocabulary cuts the sentence, and why.

import { clear, counted, h, whole } from "../dom.js";
import { isGone } from "../source.js";
import { pieceTable } from "../words/piece_table.js";
import { storyOf, wayOf } from "../words/stories.js";

export const title = "Words to pieces";
export const hint =
  "A model reads pieces, not words. Click a word to see why it is cut as it is; click a piece above to hide it " +
  "from the model.";

export function mount(root, page) {
  const summary = h("p", { class: "words-summary", "data-test": "words-summary" });
  const way = h("p", { class: "note" });
  const cards = h("div", { class: "words-cards", role: "group", "aria-label": "The words of the sentence" });
  const story = h("section", { class: "panel words-story", "aria-live": "polite" });
  const table = h("section", { class: "panel" });
  root.append(
    h(
      "div",
      { class: "stack" },
      h("section", { class: "panel" }, summary, way, cards),
      h("div", { class: "columns words-columns" }, story, table),
    ),
  );
  let asking = null;
  let answer = null;

  async function update(state) {
    asking?.abort();
    asking = new AbortController();
    if (answer) draw(state);
    try {
      const plain = { ...page.question(), hidden: [], target: {}, edits: [] };
      answer = await page.ask("words", { question: plain }, { signal: asking.signal });
      draw(page.state());
    } catch (error) {
      if (!isGone(error)) page.problem(error);
    }
  }

  function draw(state) {
    clear(summary, summed(answer));
    const tooLong = answer.pieces.length > answer.longest;
    clear(
      way,
      wayOf(answer),
      tooLong &&
        h("strong", { class: "bad" }, ` The model reads at most ${whole(answer.longest)} pieces: shorten the text.`),
    );
    const chosen = chosenWord(state);
    const focused = cards.contains(document.activeElement) ? document.activeElement.dataset.word : null;
    clear(
      cards,
      answer.words.map((word) => card(word, word === chosen, state)),
    );
    if (focused !== null) cards.querySelector(`[data-word="${focused}"]`)?.focus();
    clear(story, chosen ? storyOf(chosen, answer) : h("p", { class: "note" }, "Type a sentence above."));
    pieceTable(table, answer, state, toggle);
  }

  /** The word of the address; else the one with the most pieces, which has the most to tell. */
  function chosenWord(state) {
    const { words } = answer;
    const asked = words.find((one) => String(one.word) === state["words.word"]);
    return asked ?? words.reduce((best, one) => (best && best.places.length >= one.places.length ? best : one), null);
  }

  function card(word, isChosen, state) {
    return h(
      "button",
      {
        type: "button",
        class: "words-card",
        "data-test": "word",
        "data-word": word.word,
        "aria-pressed": String(isChosen),
        onclick: () => page.set({ "words.word": word.word }, { replace: true }),
      },
      h("span", { class: "words-written" }, word.written),
      h("span", { class: "words-arrow", "aria-hidden": "true" }, "↓"),
      h(
        "span",
        { class: "words-pieces" },
        word.places.map((place) => piece(answer.pieces[place], state)),
      ),
    );
  }

  function piece({ piece: name, place, special }, state) {
    const classes = ["words-piece"];
    if (special) classes.push("words-special");
    if (state.hidden.includes(place)) classes.push("words-hidden");
    return h("span", { class: classes.join(" ") }, name);
  }

  function toggle(place) {
    const { hidden, target } = page.state();
    const isHidden = hidden.includes(place);
    const { [place]: _, ...others } = target;
    page.set({
      hidden: isHidden ? hidden.filter((one) => one !== place) : [...hidden, place].sort((a, b) => a - b),
      target: isHidden ? others : target,
    });
  }

  return { update, unmount: () => asking?.abort() };
}

function summed({ words, pieces }) {
  const inText = pieces.filter((one) => one.word !== null);
  if (!words.length) return "There is no word yet: type a sentence above.";
  const around = pieces.length - inText.length;
  const signs = around === 1 ? "one sign marks" : `${around} signs around them mark`;
  return [
    h("strong", {}, counted(words.length, "word")),
    words.length === 1 ? " becomes " : " become ",
    h("strong", { "data-test": "piece-count", "data-value": pieces.length }, counted(inText.length, "piece")),
    around > 0 && `, and ${signs} where the text begins and ends`,
    ".",
  ];
}
