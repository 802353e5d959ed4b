// The sentence as chips: what the model reads, piece by piece.

import { clear, h } from "./dom.js";

const EYE = "M1 8s2.6-5 7-5 7 5 7 5-2.6 5-7 5-7-5-7-5zm7 2.4A2.4 2.4 0 1 0 8 5.6a2.4 2.4 0 0 0 0 4.8z";

/** Whether a piece stands for no text: [CLS], [SEP], <s>, <pad>. */
export const isSpecial = (piece) => /^(\[[A-Z]+\d*\]|<\/?[a-z]+>|<\|.*\|>)$/.test(piece);
export const isMask = (piece) => piece === "[MASK]" || piece === "<mask>";
/** Whether a piece goes on with the word before it. */
export const goesOn = (piece) => piece.startsWith("##");
/** A piece as people read it: without ##, marks of spaces as spaces. */
export const readable = (piece) => (goesOn(piece) ? piece.slice(2) : piece.replace(/[▁Ġ]/g, " ").trim() || "␣");

/**
 * options: pieces [string], hidden [place], onToggle(place), onPick(place), picked (place), originals {place: piece}
 * (what stood at a hidden place), joined(place) (goes on with the word before; by ## if not given), locked(place)
 * (cannot be hidden), note(place, piece) (a small line below a chip).
 * A click picks, or hides where nothing is to be picked; m hides or shows the piece in focus; arrow keys walk.
 */
export function pieceRow(host, options) {
  const element = h("div", { class: "pieces", role: "group", "aria-label": "The pieces of the sentence" });
  element.addEventListener("keydown", key);
  host.append(element);
  let all = { hidden: [], originals: {} };

  function update(changes) {
    all = { ...all, ...changes };
    const focused = document.activeElement?.closest?.(".piece");
    const place = focused && element.contains(focused) ? focused.dataset.place : null;
    clear(
      element,
      all.pieces.map((piece, i) => chip(piece, i)),
    );
    if (place !== null) element.querySelector(`[data-place="${place}"] .piece-word`)?.focus();
  }

  function chip(piece, place) {
    const isHidden = all.hidden.includes(place);
    const original = all.originals[place] ?? piece;
    const classes = ["piece"];
    if (isSpecial(piece) && !isMask(piece)) classes.push("piece-special");
    if (isHidden || isMask(piece)) classes.push("piece-hidden");
    if (all.joined?.(place) ?? goesOn(original)) classes.push("piece-joined");
    if (all.picked === place) classes.push("piece-picked");
    const toggles = all.onToggle && !all.locked?.(place) && !(isSpecial(piece) && !isHidden);
    const word = h(
      "button",
      {
        type: "button",
        class: "piece-word",
        "data-test": "piece",
        "data-piece": original,
        title: isHidden ? `${original}, hidden (place ${place})` : `${piece}, place ${place}`,
        "aria-pressed": all.onPick ? String(all.picked === place) : String(isHidden),
        onclick: () => (all.onPick ? all.onPick(place) : toggles && all.onToggle(place)),
      },
      isHidden ? h("s", {}, readable(original)) : readable(piece),
    );
    const eye =
      toggles &&
      h(
        "button",
        {
          type: "button",
          class: "piece-eye",
          "data-test": "hide-piece",
          "aria-label": isHidden ? `Show ${original} again` : `Hide ${original}`,
          title: isHidden ? "show it again (m)" : "hide it from the model (m)",
          "aria-pressed": String(isHidden),
          onclick: () => all.onToggle(place),
        },
        eyeIcon(),
      );
    const below = all.note?.(place, piece);
    return h(
      "span",
      { class: classes.join(" "), "data-place": place },
      h("span", { class: "piece-face" }, word, eye),
      below !== undefined && below !== null && h("small", { class: "piece-note" }, below),
    );
  }

  function key(event) {
    const at = event.target.closest(".piece");
    if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = Number(at.dataset.place);
    if (event.key === "m" && all.onToggle && at.querySelector(".piece-eye")) all.onToggle(place);
    else if (event.key === "ArrowLeft") at.previousElementSibling?.querySelector("button").focus();
    else if (event.key === "ArrowRight") at.nextElementSibling?.querySelector("button").focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  update(options);
  return { element, update };
}

function eyeIcon() {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("viewBox", "0 0 16 16");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", EYE);
  icon.append(path);
  return icon;
}
