// One head: its map, its lines between words, and how widely each piece looks.

import { clear, give, h, num, percent } from "../dom.js";
import { arcs } from "../draw/arcs.js";
import { bars } from "../draw/bars.js";
import { heatmap } from "../draw/heatmap.js";
import { readable } from "../pieces.js";
import { pieceName, roleSentence } from "./naming.js";

/**
 * onCell(query, key): a cell of the map was chosen; onPiece(place or null): only this piece's lines are wanted;
 * onShow("head" | "rollout").
 */
export function headDetail(host, { onCell, onPiece, onShow }) {
  const title = h("h2", { "data-test": "head-title" });
  const about = h("p", { class: "note", "data-test": "head-role" });
  const pairs = h("ul", { class: "pairs" });
  const showHead = chip("This head", "head");
  const showRollout = chip("How far back: all layers up to this one", "rollout");
  const map = h("div");
  const words = h("div", { class: "arcs-host" });
  const wide = h("div");
  const mapTitle = h("h3");
  const wideBlock = h(
    "section",
    { class: "detail-wide" },
    h("h3", {}, "How widely each piece looks"),
    h("p", { class: "note" }, "As if it looked at so many pieces alike. In brackets its entropy, in nats."),
    wide,
  );
  host.append(
    h(
      "div",
      { class: "panel detail" },
      h("div", { class: "row detail-top" }, title, h("div", { class: "row" }, showHead, showRollout)),
      about,
      pairs,
      h(
        "div",
        { class: "detail-parts" },
        h("section", { class: "detail-map" }, mapTitle, map),
        h(
          "section",
          {},
          h("h3", {}, "Lines between words"),
          h("p", { class: "note" }, "Point at a word to see its lines alone."),
          words,
        ),
        wideBlock,
      ),
    ),
  );
  let drawn = null;

  function chip(label, show) {
    return h(
      "button",
      { type: "button", class: "chip", "data-test": `show-${show}`, onclick: () => onShow(show) },
      label,
    );
  }

  function update({ answer, layer, head, show, piece, edits, edited }) {
    const isRollout = show === "rollout";
    const weights = isRollout ? answer.rollout.at(layer) : answer.weights.at(layer, head);
    const names = answer.pieces.map(readable);
    title.textContent = isRollout ? `After layer ${layer}` : `Layer ${layer}, head ${head}`;
    give(showHead, "aria-pressed", String(!isRollout));
    give(showRollout, "aria-pressed", String(isRollout));
    const summary = answer.heads[layer][head];
    about.textContent = isRollout
      ? "If attention alone mixed the pieces, half of each state staying where it was: how much of each piece " +
        "has arrived in each state (rollout, Abnar & Zuidema 2020)."
      : edited
        ? "This head is changed: it looks as you told it, or writes something else than it would."
        : roleSentence(summary);
    clear(
      pairs,
      !isRollout &&
        summary.strongest
          .slice(0, 3)
          .map((one) =>
            h(
              "li",
              { "data-test": "strongest", "data-value": one.weight },
              h("b", {}, pieceName(answer.pieces, one.asking)),
              " looks at ",
              h("b", {}, pieceName(answer.pieces, one.answering)),
              ` with ${percent(one.weight)}`,
            ),
          ),
    );
    mapTitle.textContent = isRollout ? "Row: a state. Column: what it is made of" : "Row: who looks. Column: at what";
    const options = {
      tensor: weights,
      scale: "positive",
      rowLabels: names,
      colLabels: names,
      rowTitle: "piece",
      colTitle: "piece",
      label: isRollout
        ? `What states are made of after layer ${layer}`
        : `Attention of layer ${layer}, head ${head}; rows look at columns`,
      format: (value) => `${percent(value)}`,
      onPick: onCell,
    };
    const lines = {
      pieces: answer.pieces,
      weights,
      from: piece !== null && piece < answer.pieces.length ? piece : null,
      onPick: onPiece,
      fromTitle: isRollout ? "this state" : "this piece",
      toTitle: isRollout ? "is made of" : "looks at",
      label: `Lines of layer ${layer}${isRollout ? "" : `, head ${head}`}`,
    };
    const entropy = answer.entropy.at(layer, head).toList();
    const widths = {
      labels: names,
      values: entropy.map(Math.exp),
      most: Math.exp(Math.max(...answer.most.toList())),
      format: (value, i) => `${num(value, 2)} (${num(entropy[i], 3)})`,
      label: "How many pieces each piece looks at",
      test: "entropy",
    };
    give(wideBlock, "hidden", isRollout);
    if (drawn === null) drawn = { map: heatmap(map, options), words: arcs(words, lines), wide: bars(wide, widths) };
    else {
      drawn.map.update(options);
      drawn.words.update(lines);
      drawn.wide.update(widths);
    }
    give(host, "data-edits", edits.length);
  }

  return { update, destroy: () => drawn?.map.destroy?.() };
}
