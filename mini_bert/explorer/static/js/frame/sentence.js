// The sentence, always on top: a box to type in, and below it the pieces that the model reads.

import { h } from "../dom.js";
import { isMask, isSpecial, pieceRow } from "../pieces.js";
import { isFile, isGone } from "../source.js";
import { cutOf, moved, piecesOf, usesPlaces } from "./places.js";

const REST = 120; // milliseconds without a key before the page asks again
const EXAMPLES = [
  "The cat sat on the [MASK].",
  "Paris is the capital of [MASK].",
  "The keys to the cabinet [MASK] old.",
  "She sat on the river bank.",
  "Unbelievably good!",
];

export function sentence(host, page) {
  const box = h("textarea", {
    id: "text",
    rows: 1,
    spellcheck: "false",
    autocomplete: "off",
    maxlength: 2000,
    "data-test": "text",
    "aria-label": "Sentence for the model; write [MASK] for a word it shall tell",
    placeholder: "Type a sentence. Write [MASK] where the model shall tell the word.",
    readonly: isFile,
  });
  const examples = h(
    "div",
    { class: "examples" },
    h("span", {}, "Try:"),
    EXAMPLES.map((text) =>
      h("button", { type: "button", class: "chip", "data-test": "example", onclick: () => take(text) }, text),
    ),
  );
  const chips = h("div", { class: "sentence-pieces" });
  host.append(...[box, !isFile && examples, chips].filter(Boolean));
  const row = pieceRow(chips, { pieces: [], onToggle: toggle });
  let pieces = [];
  let words = []; // the number of each piece's word
  let read = null; // what the pieces below the box belong to
  let asking = null;
  let timer = 0;
  let taking = null; // a text whose pieces are awaited before it is taken over

  box.addEventListener("input", () => {
    fit();
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      take(box.value);
    }, REST);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      clearTimeout(timer);
      timer = 0;
      take(box.value);
    } else if (event.key === "Escape") box.blur();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest?.("input, textarea, select, dialog")) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  addEventListener("resize", fit);

  /** Takes a new text over; hidden pieces stay hidden where they are still there. */
  async function take(text) {
    const state = page.state();
    taking = null;
    if (text === state.text) return;
    let changes = { text };
    if (usesPlaces(state)) {
      taking = text;
      const both = [state, { ...state, text }].map((one) => piecesOf(page, one).catch(() => []));
      const [before, after] = await Promise.all(both);
      if (taking !== text) return; // typed on meanwhile
      taking = null;
      changes = { text, ...moved(page.state(), before, after) };
    }
    page.set(changes, { replace: document.activeElement === box });
  }

  function toggle(place) {
    const { hidden, target } = page.state();
    if (hidden.includes(place)) {
      const { [place]: _, ...others } = target;
      page.set({ hidden: hidden.filter((one) => one !== place), target: others });
    } else page.set({ hidden: [...hidden, place].sort((a, b) => a - b) });
  }

  async function update(state) {
    if (!timer && !taking && box.value !== state.text) box.value = state.text;
    fit();
    examples.hidden = !(state.text.trim() === "" || EXAMPLES.includes(state.text));
    draw(state);
    const wanted = `${state.model}\n${state.text}`;
    if (wanted === read) return;
    read = wanted;
    asking?.abort();
    asking = new AbortController();
    try {
      const cut = await cutOf(page, state, asking.signal);
      pieces = cut.map((one) => one.piece);
      words = cut.map((one) => one.word);
      draw(page.state());
    } catch (error) {
      if (isGone(error)) return;
      read = null;
      page.problem(error);
    }
  }

  function draw(state) {
    row.update({
      pieces,
      hidden: state.hidden.filter((place) => place < pieces.length),
      joined: (place) => place > 0 && words[place] !== null && words[place] === words[place - 1],
      locked: (place) => isFile || isMask(pieces[place]) || isSpecial(pieces[place]),
    });
  }

  function fit() {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + 2}px`;
  }

  return { update };
}
