// The gradient on its way down: a row for each step, as wide as the gradient is large there.

import { clear, h, num, svg } from "../dom.js";

const ROW = 10;
const SAME = 6;
const HEAD = 22;
const MIDDLE = 150;
const WIDEST = 118;
const LETTER = 7; // width of a letter of a name, in pixels
const WIDTH = 2 * MIDDLE;
const ROAD = new Set(["residual stream", "norms", "head", "embeddings"]);

/** update(steps, number): draws the river and marks a step; onPick(number) when a row is clicked. */
export function river(host, { onPick }) {
  const element = h("div", {
    class: "river",
    tabindex: "0",
    role: "listbox",
    "aria-label": "Steps of the backward pass, from the loss down to the embeddings. Arrow keys walk.",
    "data-test": "river",
  });
  host.append(element);
  let steps = null;
  let rows = [];
  let at = 0;

  element.addEventListener("keydown", (event) => {
    const to = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: steps.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onPick(Math.min(Math.max(to, 0), steps.length - 1));
  });

  function update(given, number) {
    at = number;
    if (given !== steps) draw(given);
    rows.forEach((row, i) => {
      row.classList.toggle("river-picked", i === number);
      row.setAttribute("aria-selected", String(i === number));
    });
    element.setAttribute("aria-activedescendant", `river-${number}`);
    keepInSight(rows[number]);
  }

  function draw(given) {
    steps = given;
    const placed = placedRows(steps);
    const height = placed.at(-1).y + placed.at(-1).high + 8;
    rows = placed.map((row, i) => rowOf(row, i));
    clear(
      element,
      svg(
        "svg",
        { viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: "presentation" },
        svg("path", { class: "river-road", d: road(placed) }),
        placed
          .filter((row) => row.heading)
          .map((row) => svg("text", { class: "river-heading", x: 4, y: row.y - 6 }, row.heading)),
        rows,
      ),
    );
  }

  function rowOf({ step, y, high, half }, i) {
    const kind = ROAD.has(step.kind) ? "road" : step.kind === "attention" ? "attention" : "units";
    return svg(
      "g",
      {
        id: `river-${i}`,
        class: `river-row river-${kind}`,
        role: "option",
        onclick: () => onPick(i),
        "data-test": "river-step",
        "data-name": step.name,
        "data-value": step.norm,
      },
      svg("title", {}, `${step.name}: ${num(step.norm)}`),
      svg("rect", { class: "river-hit", x: 0, y, width: WIDTH, height: high }),
      svg("rect", {
        class: "river-bar",
        x: MIDDLE - half,
        y: y + 1,
        width: 2 * half,
        height: Math.max(high - 2, 2),
        rx: 2,
      }),
      svg(
        "text",
        { class: "river-name", x: nameAt(step.name, half), y: y + high / 2, "dominant-baseline": "central" },
        step.name,
      ),
    );
  }

  /** Scrolls the river alone, never the page. */
  function keepInSight(row) {
    const box = row?.querySelector("rect");
    if (!box || element.scrollHeight <= element.clientHeight) return;
    const scale = element.firstChild.clientHeight / element.firstChild.viewBox.baseVal.height || 1;
    const y = Number(box.getAttribute("y")) * scale;
    if (y < element.scrollTop + 30 || y > element.scrollTop + element.clientHeight - 40) {
      element.scrollTop = y - element.clientHeight / 2;
    }
  }

  return { update };
}

/** Right of its bar, or as far right as its letters let it. */
const nameAt = (name, half) => Math.min(MIDDLE + half + 6, WIDTH - LETTER * name.length);

/** Where each row is, and half its width: the logarithm of the norm, so that a doubling always adds the same. */
function placedRows(steps) {
  const logs = steps.map((step) => Math.log10(Math.max(step.norm ?? 0, 1e-12)));
  const finite = logs.filter((one) => one > -11);
  const low = Math.min(...finite) - 0.15;
  const span = Math.max(...finite) - low || 1;
  let y = 4;
  let group = null;
  return steps.map((step, i) => {
    const heading = step.group !== group ? step.group : "";
    if (heading) y += HEAD;
    group = step.group;
    const high = step.is_same ? SAME : ROW;
    const row = { step, y, high, heading, half: Math.max(2, (WIDEST * (logs[i] - low)) / span / 1) };
    y += high + 1;
    return row;
  });
}

/** The open road of the residual stream, from the loss to the embeddings. */
function road(rows) {
  const on = rows.filter(({ step }) => ROAD.has(step.kind));
  const side = (sign) => on.map(({ y, high, half }) => `${MIDDLE + sign * half} ${y + high / 2}`);
  return `M${side(-1).join("L")}L${side(1).reverse().join("L")}Z`;
}
