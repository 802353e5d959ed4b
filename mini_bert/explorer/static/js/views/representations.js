// The words of several sentences in the space of each layer.

import { clear, give, h } from "../dom.js";
import { onTheme } from "../draw/colours.js";
import { scatter } from "../draw/scatter.js";
import { MOST_TEXTS, SETS, textsOf } from "../representations/examples.js";
import { layerFigures, layerSimilarity } from "../representations/layer_figures.js";
import { layerSlider } from "../representations/layer_slider.js";
import { between, mover, pathOf } from "../representations/motion.js";
import { concordance, sentenceList } from "../representations/sentences.js";
import { wordPanel } from "../representations/word_panel.js";

export const title = "Representations";
export const hint =
  "Every word is a point; words that the model treats alike lie close together. Drag through the layers and " +
  "watch context pull them apart.";

export function mount(root, page) {
  const parts = skeleton(root, page);
  const cloud = scatter(parts.cloud, { label: "words in the plane of a layer", onPick: pick, onPoint: point });
  const motion = mover((position) => {
    slider.show(position);
    if (answer) cloud.place(between(answer.points, position));
  });
  const slider = layerSlider(parts.slider, { onDrag: motion.jump, onLayer: (to) => choose({ layer: to }) });
  const similarity = layerSimilarity(parts.similarity);
  const endTheme = onTheme(() => answer && redraw(true));
  let answer = null;
  let markSentences = null;
  let asked = "";
  let asking = null;
  let state = page.state();

  const layerOf = () =>
    Math.min(
      Math.max(Number(state["representations.layer"] ?? answer.layers.length - 1) || 0, 0),
      answer.layers.length - 1,
    );
  const soughtOf = () => (state["representations.find"] ?? "").trim();

  /** The picked word, kept as text.place in the address: numbers of all words shift while one types. */
  function pickedOf() {
    const [text, first] = (state["representations.word"] ?? "").split(".").map(Number);
    const at = answer.words.findIndex((word) => word.text === text && word.first === first);
    return at < 0 ? null : at;
  }

  const foundOf = () => {
    const sought = soughtOf().toLowerCase();
    const numbers = answer.words.flatMap((word, i) => (sought && word.spelled.toLowerCase() === sought ? [i] : []));
    return new Set(numbers);
  };

  function choose({ layer, word }) {
    const changes = {};
    if (layer !== undefined) changes["representations.layer"] = layer;
    if (word !== undefined) changes["representations.word"] = word;
    page.set(changes);
    if (layer !== undefined && answer && layer === layerOf()) motion.go(layer);
  }

  function pick(number) {
    const word = answer.words[number];
    choose({ word: number === pickedOf() ? null : `${word.text}.${word.first}` });
  }

  function point(number) {
    cloud.mark({ bright: number === null ? null : answer.words[number].text });
  }

  async function update(given) {
    state = given;
    const body = { question: page.question(), texts: textsOf(state) };
    const key = JSON.stringify([body.question.model, body.question.text, body.texts]);
    asking?.abort(); // also one for a sentence that was typed and taken back
    if (key === asked && answer) return redraw(false);
    asking = new AbortController();
    try {
      const found = await page.ask("representations", plain(body), { signal: asking.signal });
      asked = key;
      answer = found;
      give(parts.body, "hidden", false);
      redraw(true);
    } catch (error) {
      page.problem(error);
    }
  }

  function redraw(isNew) {
    parts.show(state, answer);
    const [layer, picked, found] = [layerOf(), pickedOf(), foundOf()];
    slider.update(answer.layers, layer);
    if (isNew) {
      cloud.words(answer.words.map((word) => asPoint(answer, word)));
      motion.jump(layer);
      const spelled = new Set(answer.words.map((word) => word.spelled.toLowerCase()));
      clear(
        parts.words,
        [...spelled].map((value) => h("option", { value })),
      );
      markSentences = sentenceList(parts.sentences, answer, {
        onPick: pick,
        onPoint: (text) => cloud.mark({ bright: text }),
      });
    } else if (motion.at() !== layer) motion.go(layer);
    const near = picked === null ? [] : Array.from(answer.nearest.at(layer, picked).data).slice(0, 4);
    cloud.mark({ picked, found, near: new Set(near), path: picked === null ? [] : pathOf(answer.points, picked) });
    give(parts.cloud, "data-layer", layer);
    wordPanel(parts.word, { answer, picked, layer, onPick: pick, onLayer: (to) => choose({ layer: to }) });
    concordance(parts.found, { answer, sought: soughtOf(), found, onPick: pick });
    markSentences(picked, found);
    layerFigures(parts.figures, { answer, layer, onLayer: (to) => choose({ layer: to }) });
    similarity.update(answer, layer, (to) => choose({ layer: to }));
  }

  return {
    update,
    unmount() {
      asking?.abort();
      motion.stop();
      slider.close();
      cloud.close();
      similarity.close();
      endTheme();
    },
  };
}

/** What is asked: nothing is hidden or edited here, so that those changes ask for nothing new. */
export const plain = ({ question, texts }) => ({
  question: { ...question, hidden: [], target: {}, edits: [] },
  texts,
});

function asPoint(answer, word) {
  return {
    label: word.spelled,
    group: word.text,
    own: word.text === answer.own,
    about: `${word.spelled}, in: ${answer.texts[word.text]}`,
  };
}

/** The elements of the view; `show(state)` fills the fields that the reader writes in. */
function skeleton(root, page) {
  const words = h("datalist", { id: "words-shown" });
  const find = h("input", {
    type: "search",
    list: "words-shown",
    placeholder: "find a word, like bank",
    "aria-label": "find a word in the sentences",
    "data-test": "find-word",
    oninput: () => page.set({ "representations.find": find.value }, { replace: true }),
  });
  const lines = h("textarea", {
    rows: 8,
    spellcheck: "false",
    "aria-label": "sentences, one on a line",
    "data-test": "sentences-text",
    oninput: () => write(lines.value),
  });
  const write = (texts) => {
    clearTimeout(resting);
    resting = setTimeout(
      () =>
        page.set(
          { "representations.texts": texts === "" ? " " : texts, "representations.word": null },
          { replace: true },
        ),
      200,
    );
  };
  let resting = 0;
  const parts = Object.fromEntries(
    ["cloud", "slider", "word", "found", "figures", "similarity"].map((name) => [
      name,
      h("div", { class: `representations-${name}` }),
    ]),
  );
  parts.sentences = h("ul", { class: "sentences" });
  parts.words = words;
  const texts = h(
    "section",
    { class: "panel" },
    h("div", { class: "row find" }, h("h3", {}, "The sentences"), find, words),
    parts.found,
    parts.sentences,
    h(
      "details",
      {},
      h("summary", {}, "Change the sentences"),
      h(
        "div",
        { class: "row" },
        SETS.map(({ name, texts }) =>
          h("button", { class: "chip", type: "button", onclick: () => write(texts?.join("\n") ?? null) }, name),
        ),
      ),
      lines,
      h(
        "p",
        { class: "note" },
        `One sentence on a line, up to ${MOST_TEXTS}. Your sentence above is always there too.`,
      ),
    ),
  );
  parts.body = h(
    "div",
    { class: "representations", hidden: true },
    h(
      "div",
      { class: "column" },
      h("section", { class: "panel first" }, parts.slider, parts.cloud),
      h("section", { class: "panel last" }, parts.figures),
      h("section", { class: "panel last" }, parts.similarity),
    ),
    h("div", { class: "column" }, h("section", { class: "panel" }, parts.word), texts),
  );
  root.append(parts.body);
  parts.show = (state, answer) => {
    if (document.activeElement !== find) find.value = state["representations.find"] ?? "";
    if (document.activeElement !== lines)
      lines.value = (textsOf(state) ?? answer.texts.slice(answer.own === null ? 0 : 1)).join("\n");
  };
  return parts;
}
