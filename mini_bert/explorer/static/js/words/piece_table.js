// What goes into the model: for each place the piece, its number, and the text it stands for.

import { clear, h, whole } from "../dom.js";

export function pieceTable(host, answer, state, onToggle) {
  const focused = host.contains(document.activeElement) ? document.activeElement.dataset.place : undefined;
  clear(
    host,
    h("h2", {}, "What the model is given"),
    h(
      "div",
      { class: "scroll-x" },
      h(
        "table",
        { class: "words-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { class: "number" }, "place"),
            h("th", {}, "piece"),
            h("th", { class: "number" }, "number"),
            h("th", {}, "stands for"),
            h("th", {}, ""),
          ),
        ),
        h("tbody", {}, answer.pieces.map((one) => line(one, answer, state, onToggle))),
      ),
    ),
  );
  if (focused !== undefined) host.querySelector(`button[data-place="${focused}"]`)?.focus();
}

function line({ place, piece, id, word, written, start, end, special }, { mask }, state, onToggle) {
  const isHidden = state.hidden.includes(place);
  return h(
    "tr",
    { class: special ? "words-sign" : "", "data-test": "piece-row", "data-piece": piece, "data-id": id },
    h("td", { class: "number" }, place),
    h("td", {}, isHidden ? [h("s", {}, piece), ` ${mask}`] : piece),
    h("td", { class: "number" }, isHidden ? "" : whole(id)),
    h("td", {}, word === null ? "" : [written, h("span", { class: "note" }, ` ${start}–${end}`)]),
    h(
      "td",
      {},
      !special &&
        mask &&
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "data-test": "table-hide",
            "data-place": place,
            "aria-pressed": String(isHidden),
            "aria-label": `${isHidden ? "Show" : "Hide"} ${piece} at place ${place}`,
            onclick: () => onToggle(place),
          },
          isHidden ? "show" : "hide",
        ),
    ),
  );
}
