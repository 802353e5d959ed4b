// Predictions: the words for each hidden piece, layer by layer, and which pieces speak for them.

import { clear, give, h, percent } from "../dom.js";
import { isMask, pieceRow } from "../pieces.js";
import { inOneLine } from "../problem_words.js";
import { isGone } from "../source.js";
import { causesPanel } from "../predictions/causes.js";
import { guesses } from "../predictions/guesses.js";
import { layersPanel } from "../predictions/layers.js";

export const title = "Predictions";
export const hint =
  "What the model puts in place of each hidden piece, and when it made up its mind. Hide pieces with the eye " +
  "beside them, or write [MASK].";
export const needsText = true;

const INTRODUCTIONS = {
  itself:
    "Nothing is hidden, so the model sees every word and tells each again; below a piece, how probable it " +
    "thinks it is. Pick a piece to look into it, or hide it with its eye and make the model think.",
  next:
    "This model reads from left to right and tells what comes next; below a piece, how probable the piece " +
    "after it was. Pick the piece after which it shall tell.",
  tags: "This model tells a tag of each piece. Pick a piece to see all tags.",
  replaced: "This model tells whether a piece was replaced by another. Below each, how probable it thinks that is.",
};

export function mount(root, page) {
  const note = h("p", { class: "note", "data-test": "predictions-note", hidden: true });
  const row = h("div", { class: "panel", hidden: true });
  const intro = h("p", { class: "note" });
  const chips = h("div");
  row.append(intro, chips);
  const cards = h("div", { class: "cards" });
  const layersHost = h("section", { class: "panel", hidden: true });
  const causesHost = h("section", { class: "panel", hidden: true });
  const body = h(
    "div",
    { class: "stack", hidden: true },
    row,
    h("div", { class: "predictions" }, cards, h("div", { class: "stack" }, layersHost, causesHost)),
  );
  root.append(note, body);
  const layers = layersPanel(layersHost, {
    onMeasure: (measure) => page.set({ "predictions.measure": measure === "rank" ? measure : null }),
  });
  const causes = causesPanel(causesHost, {
    onWay: (way) => page.set({ "predictions.way": way === "gradient" ? null : way }),
  });
  let pieces = null;
  let answer = null;
  let because = null;
  let asking = null;

  async function update(state) {
    if (page.model()?.trained === false)
      return refuse(
        "This model has random weights: what it would say means nothing, so it is not shown. Choose a trained model.",
      );
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const question = page.question();
    const place = chosenPlace(state);
    if (answer) draw(state);
    try {
      const found = await askPredictions(question, place, signal);
      const wanted = placeIn(found, place);
      if (found.kind === "nothing") return refuse(found.note);
      answer = found;
      draw(page.state());
      because = await askCauses(question, found, wanted, state, signal);
      if (!signal.aborted) drawCauses(page.state());
    } catch (error) {
      if (!isGone(error)) page.refused(error);
    }
  }

  /** Where nothing is hidden the layers of one piece come along: of the picked one. */
  async function askPredictions(question, place, signal) {
    const found = await page.ask("predictions", { question }, { signal });
    const isOne = found.asks === "itself" || found.asks === "next";
    if (!isOne || place === null || found.lens.places[0] === placeIn(found, place)) return found;
    return page.ask("predictions", { question, place: placeIn(found, place) }, { signal });
  }

  async function askCauses(question, found, place, state, signal) {
    const way = chosenWay(state);
    const body = { question: { ...question, edits: [] } };
    if (place !== found.places[0].place) body.place = place;
    if (way !== "gradient") body.way = way;
    try {
      return await page.ask("attribution", body, { signal });
    } catch (error) {
      if (isGone(error)) throw error;
      return { refused: inOneLine(error) };
    }
  }

  function refuse(text) {
    asking?.abort();
    clear(note, text);
    give(note, "hidden", false);
    give(body, "hidden", true);
  }

  function draw(state) {
    const { places, asks, kind } = answer;
    const picked = placeIn(answer, chosenPlace(state));
    const isRow = asks === "itself" || asks === "next" || kind === "tags" || kind === "replaced";
    give(body, "hidden", false);
    clear(
      note,
      state.edits.length
        ? `${state.edits.length === 1 ? "A change" : `${state.edits.length} changes`} to heads, made in the ` +
            `Attention view, ${state.edits.length === 1 ? "is" : "are"} in force.`
        : "",
    );
    give(note, "hidden", !state.edits.length);
    give(row, "hidden", !isRow);
    if (isRow) drawRow(state, picked);
    const shown = isRow ? places.filter((one) => one.place === picked) : places;
    const focused = focusIn(cards);
    clear(
      cards,
      shown.map((one) =>
        guesses(one, {
          vocabulary: answer.vocabulary,
          picked: one.place === picked,
          onPick: places.length > 1 && !isRow ? () => page.set({ "predictions.place": one.place }) : null,
          onTarget: kind === "words" ? (token) => target(one.place, token) : null,
          isFile: page.isFile,
        }),
      ),
    );
    focused?.();
    const column = answer.lens ? answer.lens.places.indexOf(picked) : -1;
    give(layersHost, "hidden", !answer.lens);
    if (column >= 0) {
      const { answer: word } = places.find((one) => one.place === picked);
      layers.update({
        lens: answer.lens,
        column,
        answer: word,
        measure: state["predictions.measure"] ?? "probability",
      });
    } else if (answer.lens && asks === "hidden") give(layersHost, "hidden", true);
  }

  function drawRow(state, picked) {
    const { places, kind, asks } = answer;
    const by = new Map(places.map((one) => [one.place, one]));
    intro.textContent = INTRODUCTIONS[asks ?? kind];
    const options = {
      pieces: answer.pieces,
      hidden: state.hidden,
      picked,
      onPick: (place) => by.has(place) && page.set({ "predictions.place": place }),
      onToggle:
        asks === "itself" ? (place) => page.set({ hidden: [...state.hidden, place].sort((a, b) => a - b) }) : undefined,
      locked: (place) => isMask(answer.pieces[place]),
      note: (place) => rowNote(by.get(place), kind),
    };
    if (pieces) pieces.update(options);
    else pieces = pieceRow(chips, options);
  }

  function drawCauses(state) {
    give(causesHost, "hidden", !because);
    if (because) causes.update(because, chosenWay(state), state.edits.length > 0);
  }

  /** A word is taken over if the model can tell it; else the message says why not, and all stays. */
  async function target(place, token) {
    const { [place]: _, ...others } = page.state().target;
    const chosen = token === null ? others : { ...others, [place]: token };
    try {
      await page.ask("predictions", { question: { ...page.question(), target: chosen } });
      page.set({ target: chosen, "predictions.place": place });
    } catch (error) {
      page.problem(error);
    }
  }

  return {
    update,
    unmount() {
      asking?.abort();
      layers.destroy();
      causes.destroy();
    },
  };
}

const chosenWay = (state) => (state["predictions.way"] === "integrated" ? "integrated" : "gradient");

function chosenPlace(state) {
  const given = state["predictions.place"];
  return given === undefined ? null : Number(given);
}

/** The chosen place if something is asked there; else that of the layers that came along, or the first. */
function placeIn(answer, place) {
  const places = answer.places ?? [];
  if (places.some((one) => one.place === place)) return place;
  return answer.lens?.places[0] ?? places[0]?.place ?? null;
}

function rowNote(one, kind) {
  if (!one) return null;
  if (kind === "tags") return `${one.words[0].word} ${percent(one.words[0].probability)}`;
  if (kind === "replaced") return percent(one.words.find(({ word }) => word === "replaced").probability);
  return one.why === "best" ? "…" : percent(one.probability);
}

/** A function that gives the focus back to the same row of the same card, if one had it. */
function focusIn(cards) {
  const at = document.activeElement;
  const card = at?.closest?.(".guesses");
  if (!card || !cards.contains(card)) return null;
  const number = [...card.querySelectorAll("button")].indexOf(at);
  const { place } = card.dataset;
  return () =>
    cards
      .querySelector(`.guesses[data-place="${place}"]`)
      ?.querySelectorAll("button")
      [number]?.focus({ preventScroll: true });
}
