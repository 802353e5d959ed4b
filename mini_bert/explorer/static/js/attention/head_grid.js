// All heads at a glance: a small map each, what it looks at, and how widely; or how much the answer misses it.

import { clear, give, h, num } from "../dom.js";
import { inkOn, onTheme, rgb, signed } from "../draw/colours.js";
import { points, roleName } from "./naming.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * update({answer, layer, head, edits, missed}): `missed` (Tensor, layers × heads) are falls of the answer's
 * probability without each head; null shows the maps. onPick({layer, head}).
 */
export function headGrid(host, { onPick }) {
  const element = h("div", { class: "heads", role: "group", "aria-label": "All heads" });
  element.addEventListener("keydown", key);
  host.append(h("div", { class: "scroll-x" }, element));
  const stop = onTheme(draw);
  let cells = [];
  let all = null;

  function update(given) {
    const [L, A] = given.answer.weights.shape;
    if (cells.length !== L || cells[0]?.length !== A) build(L, A);
    const isRepainted = all?.answer !== given.answer;
    all = given;
    draw(isRepainted);
  }

  function build(L, A) {
    element.style.setProperty("--columns", A);
    cells = Array.from({ length: L }, (_, layer) => Array.from({ length: A }, (_, head) => cell(layer, head)));
    clear(
      element,
      h("span", { class: "heads-corner" }),
      cells[0].map((_, head) => h("span", { class: "heads-column" }, `head ${head}`)),
      cells.map((row, layer) => [
        h("span", { class: "heads-row" }, h("span", {}, "layer "), String(layer)),
        row.map((one) => one.button),
      ]),
    );
  }

  function cell(layer, head) {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const fall = h("span", { class: "head-fall number" });
    const role = h("span", { class: "head-role" });
    const wide = h("span", { class: "head-wide" }, h("span", {}));
    const button = h(
      "button",
      {
        type: "button",
        class: "head",
        "data-test": "head",
        "data-layer": layer,
        "data-head": head,
        onclick: () => onPick({ layer, head }),
      },
      h("span", { class: "head-face" }, canvas, fall),
      role,
      wide,
    );
    return { button, canvas, fall, role, wide: wide.firstChild };
  }

  function draw(isRepainted = true) {
    if (!all || !element.isConnected) return;
    const { answer, missed } = all;
    const most = missed ? Math.max(1e-9, ...missed.data.map(Math.abs)) : 1;
    cells.forEach((row, layer) =>
      row.forEach((one, head) => {
        const about = answer.heads[layer][head];
        const width = answer.relative_entropy.at(layer, head);
        const isEdited = all.edits.some((edit) => edit.layer === layer && edit.head === head);
        const isPicked = layer === all.layer && head === all.head;
        if (isRepainted) paint(one.canvas, answer.weights.at(layer, head));
        showFall(one, missed?.at(layer, head) ?? null, most);
        one.role.textContent = isEdited ? "changed" : roleName(about.role);
        one.wide.style.width = `${Number.isFinite(width) ? 100 * width : 0}%`;
        one.button.classList.toggle("head-edited", isEdited);
        give(one.button, "aria-pressed", String(isPicked));
        give(one.button, "tabindex", isPicked ? "0" : "-1");
        give(one.button, "data-role", about.role);
        give(one.button, "data-value", missed ? missed.at(layer, head) : width);
        const told = missed
          ? `without it the answer's probability changes by ${points(-missed.at(layer, head))}`
          : `how widely it looks: ${num(100 * width, 2)}% of the most`;
        give(one.button, "aria-label", `Layer ${layer}, head ${head}: ${roleName(about.role)}; ${told}`);
        give(one.button, "title", `layer ${layer}, head ${head}: ${roleName(about.role)}\n${told}`);
      }),
    );
  }

  function key(event) {
    const move = MOVES[event.key];
    const at = event.target.closest?.(".head");
    if (!move || !at) return;
    const layer = Math.min(Math.max(Number(at.dataset.layer) + move[0], 0), cells.length - 1);
    const head = Math.min(Math.max(Number(at.dataset.head) + move[1], 0), cells[0].length - 1);
    event.preventDefault();
    event.stopPropagation();
    cells[layer][head].button.focus();
    onPick({ layer, head });
  }

  return { element, update, destroy: stop };
}

function showFall({ canvas, fall }, drop, most) {
  canvas.hidden = drop !== null;
  fall.hidden = drop === null;
  if (drop === null) return;
  const colour = signed(drop / most);
  Object.assign(fall.style, { background: colour, color: inkOn(colour) });
  const size = 100 * Math.abs(drop);
  fall.textContent = size < 0.005 ? "0" : `${drop < 0 ? "+" : "\u2212"}${num(size, 2)}`;
}

/** A pixel for each pair of pieces; styles make it larger. Small weights are lifted, so that faint patterns show. */
function paint(canvas, weights) {
  const [T, S] = weights.shape;
  canvas.width = S;
  canvas.height = T;
  const pixels = new ImageData(S, T);
  weights.data.forEach((weight, i) => {
    pixels.data.set(rgb("positive", Math.sqrt(weight)), 4 * i);
    pixels.data[4 * i + 3] = 255;
  });
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}
