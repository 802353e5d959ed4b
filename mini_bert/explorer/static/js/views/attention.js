// Attention: all layers and heads at a glance, one head in detail, and what happens if it is changed.

import { give, h } from "../dom.js";
import { Tensor } from "../tensor.js";
import { inOneLine } from "../problem_words.js";
import { isGone, isHere } from "../source.js";
import { effectPanel } from "../attention/effect.js";
import { headDetail } from "../attention/head_detail.js";
import { headEdits } from "../attention/head_edits.js";
import { headGrid } from "../attention/head_grid.js";

export const title = "Attention";
export const hint =
  "Every head decides for each piece where to look. Pick a head to see it in detail; then switch it off, or " +
  "tell it where to look, and see the answer change.";
export const needsText = true;

export function mount(root, page) {
  const gridNote = h("p", { class: "note" });
  const mapsChip = chip("Where they look", "maps", () => page.set({ "attention.grid": null }));
  const missedChip = chip("Switch each off in turn", "missed", () => page.set({ "attention.grid": "missed" }));
  const left = h("div", { class: "stack attention-left" });
  const right = h("div", { class: "stack attention-right" });
  const gridPanel = h(
    "section",
    { class: "panel" },
    h("div", { class: "row detail-top" }, h("h2", {}, "All heads"), h("div", { class: "row" }, mapsChip, missedChip)),
    gridNote,
  );
  left.append(gridPanel);
  const body = h("div", { class: "attention", hidden: true }, left, right);
  root.append(body);

  const isKept = (edits) => isHere("effect", { question: { ...page.question(), edits } });
  const grid = headGrid(gridPanel, {
    onPick: ({ layer, head }) => page.set({ "attention.layer": layer, "attention.head": head }, { replace: true }),
  });
  const editing = headEdits(left, { onEdits: (edits) => page.set({ edits }), onAim: aim, isFile: page.isFile, isKept });
  const effect = effectPanel(left);
  const detail = headDetail(right, {
    onCell: cell,
    onPiece: (place) => page.set({ "attention.piece": place }, { replace: true }),
    onShow: (show) => page.set({ "attention.show": show === "rollout" ? show : null }),
  });
  let answer = null;
  let effects = null;
  let missed = null;
  let aiming = false;
  let asking = null;

  function chip(label, test, onclick) {
    return h("button", { type: "button", class: "chip", "data-test": `grid-${test}`, onclick }, label);
  }

  function aim(on) {
    aiming = on;
    draw(page.state());
  }

  function cell(query, key) {
    if (aiming && page.state()["attention.show"] !== "rollout") {
      aiming = false;
      editing.lookAt(query, key);
    } else page.set({ "attention.piece": query }, { replace: true });
  }

  async function update(state) {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const question = page.question();
    const body = { question };
    if (answer) draw(state);
    try {
      const wanted = [page.ask("attention", body, { signal }), told("effect", body, signal)];
      if (state["attention.grid"] === "missed") wanted.push(told("heads-off", body, signal));
      const [found, effectFound, missedFound] = await Promise.all(wanted);
      if (signal.aborted) return;
      [answer, effects, missed] = [found, effectFound, missedFound ?? null];
      draw(page.state());
    } catch (error) {
      if (!isGone(error)) page.refused(error);
    }
  }

  /** An answer that a model may have to refuse; the rest of the view lives without it. */
  async function told(name, body, signal) {
    try {
      return await page.ask(name, body, { signal });
    } catch (error) {
      if (isGone(error)) throw error;
      return { refused: inOneLine(error) };
    }
  }

  function draw(state) {
    const [L, A] = answer.weights.shape;
    const layer = within(state["attention.layer"], L);
    const head = within(state["attention.head"], A);
    const picked = state["attention.piece"];
    const isMissed = state["attention.grid"] === "missed";
    give(body, "hidden", false);
    give(mapsChip, "aria-pressed", String(!isMissed));
    give(missedChip, "aria-pressed", String(isMissed));
    gridNote.textContent = !isMissed
      ? "Each square: rows look at columns, a strong colour is much. The thin bar: how widely a head looks."
      : (missed?.refused ?? missedTold(missed));
    grid.update({
      answer,
      layer,
      head,
      edits: state.edits,
      missed: isMissed && missed?.without ? falls(missed) : null,
    });
    editing.update({ edits: state.edits, layer, head, pieces: answer.pieces, aiming });
    detail.update({
      answer,
      layer,
      head,
      show: state["attention.show"] ?? "head",
      piece: picked === undefined ? null : Number(picked),
      edits: state.edits,
      edited: state.edits.some((edit) => edit.layer === layer && edit.head === head),
    });
    if (effects?.places) effect.update(effects, state.edits);
    else effect.fail(effects?.refused ?? "");
  }

  return {
    update,
    unmount() {
      asking?.abort();
      grid.destroy();
      detail.destroy();
    },
  };
}

function within(given, n) {
  const number = Number(given ?? 0);
  return Number.isInteger(number) ? Math.min(Math.max(number, 0), n - 1) : 0;
}

/** By how much the probability of the answers falls without each head, the mean over the places asked. */
function falls({ whole, without }) {
  const [L, A, k] = without.shape;
  const data = new Float64Array(L * A);
  for (let i = 0; i < L * A; i += 1) {
    for (let j = 0; j < k; j += 1) data[i] += (whole.data[j] - without.data[i * k + j]) / k;
  }
  return new Tensor(data, [L, A], "f64");
}

function missedTold(missed) {
  if (!missed) return "Switching each head off in turn …";
  const { answers, whole } = missed;
  const what =
    answers.length === 1
      ? `the probability of “${answers[0].word}”, now ${(100 * whole.data[0]).toPrecision(3)}%,`
      : `the mean probability of ${answers.length} answers`;
  return (
    `By how many percentage points ${what} changes if a head is off. Orange: the head is needed. Blue: it ` +
    "stands in the way."
  );
}
