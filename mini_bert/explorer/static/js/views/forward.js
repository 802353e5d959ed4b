// Forward: the model as a diagram that follows the data; every array with its formula and its numbers, every number
// with its sum.

import { clear, h } from "../dom.js";
import { diagram } from "../draw/diagram.js";
import { cellPanel } from "../forward/cell_panel.js";
import { asNumbers, asSlice, asText, chosen, openBlocks, withBlockOf } from "../forward/choice.js";
import { laidOut } from "../forward/layout.js";
import { stepPanel } from "../forward/step_panel.js";
import { fits, tensorPanel } from "../forward/tensor_panel.js";
import { isGone } from "../source.js";

export const title = "Forward";
export const hint =
  "Follow the numbers from the words to the guess. Choose a box to see its values, a cell to see the sum that made it.";
export const needsText = true;

const LABEL = "The model, from the words at the top to the guess at the bottom";

export function mount(root, page) {
  const sky = h("div", { class: "forward-sky" });
  const [about, map, sum] = [1, 2, 3].map(() => h("div", { class: "panel" }));
  const heading = h("h3", { class: "forward-heading", "data-test": "map-title" });
  map.append(heading);
  const all = h(
    "div",
    { class: "forward", hidden: true },
    h("div", { class: "panel forward-model" }, sky, key()),
    h("div", { class: "stack forward-detail" }, about, map, sum),
  );
  root.append(all);
  let answer = null;
  let flight = null;
  let parts = null;
  let wanted = null; // the cell whose sum is to be told
  let seen = ""; // the step that was last brought into sight
  let bringStory = false;

  async function update() {
    flight?.abort();
    flight = new AbortController();
    const { signal } = flight;
    try {
      const found = await page.ask("forward", { question: page.question() }, { signal });
      if (signal.aborted) return;
      answer = found;
      draw(page.state());
    } catch (error) {
      if (!isGone(error)) page.refused(error);
    }
  }

  function draw(state) {
    const { step, weight } = chosen(state, answer);
    const [name, of] = weight ? [weight.name, "weight"] : [step.name, "value"];
    const index = asNumbers(state["forward.cell"]);
    wanted = { name, of, index, onJump: jump };
    clear(heading, weight ? `The weights ${weight.name}: ${weight.spelled}` : `The real numbers: ${step.spelled}`);
    parts ??= {
      model: diagram(sky, model(state, step)),
      about: stepPanel(about, { step, weight, steps: answer.steps, onPick: pick }),
      cell: cellPanel(sum, page, { index: null }),
      tensor: null,
    };
    parts.model.update(model(state, step));
    parts.about.update({ step, weight, steps: answer.steps, onPick: pick });
    const table = { name, of, index, slice: asSlice(state["forward.slice"]), onCell, onSlice, onAnswer: tell };
    if (parts.tensor) parts.tensor.update(table);
    else parts.tensor = tensorPanel(map, page, table);
    all.hidden = false;
    if (seen !== step.name) intoSight(step.name);
    seen = step.name;
  }

  /** What the diagram shows. */
  function model(state, step) {
    const open = openBlocks(state, answer);
    const original = (name) => answer.steps.find((one) => one.name === name)?.same_as ?? name;
    const pieces = answer.sizes.shape[1];
    const sizes = (one) => {
      const row = answer.steps.indexOf(one);
      return answer.sizes.data.subarray(row * pieces, (row + 1) * pieces);
    };
    return {
      layout: laidOut(answer, (block) => open.includes(block)),
      picked: step.name,
      lit: new Set(step.inputs.map(original)),
      sizes,
      onPick: (one) => pick(one.name, "value"),
      onToggle: toggle,
      label: LABEL,
    };
  }

  /** The sum of the chosen cell, once it is known that the array has such a cell. */
  async function tell(found) {
    if (found.name !== wanted.name) return;
    const index = wanted.index && fits(found, wanted.index) ? wanted.index : null;
    await parts.cell.update({ ...wanted, index });
    if (bringStory) sum.scrollIntoView({ block: "nearest", behavior: "smooth" });
    bringStory = false;
  }

  function pick(name, of) {
    const state = page.state();
    const isSame = state["forward.tensor"] === name && (state["forward.of"] ?? "value") === of;
    const hasHeads = answer.steps.find((step) => step.name === name)?.shape.length === 4;
    const { head } = asSlice(state["forward.slice"]);
    const slice = hasHeads && head ? asText({ head }) : null;
    goTo(name, of, isSame ? state["forward.cell"] : null, slice);
  }

  function jump(name, of, index) {
    about.scrollIntoView({ block: "nearest" });
    goTo(name, of, index.join(","), null);
  }

  function goTo(name, of, cell, slice) {
    page.set({
      "forward.tensor": name,
      "forward.of": of === "value" ? null : of,
      "forward.cell": cell,
      "forward.slice": slice,
      "forward.open": withBlockOf(name, page.state(), answer),
    });
  }

  function onCell(index) {
    bringStory = true;
    page.set({ "forward.cell": index.join(",") });
  }

  const onSlice = (slice) => page.set({ "forward.slice": asText(slice), "forward.cell": null });

  function toggle(block) {
    const open = openBlocks(page.state(), answer);
    const next = open.includes(block) ? open.filter((one) => one !== block) : [...open, block];
    page.set({ "forward.open": next.join(",") || "none" });
  }

  function intoSight(name) {
    const box = parts.model.nodeOf(name)?.getBoundingClientRect();
    const view = sky.getBoundingClientRect();
    if (!box) return;
    if (box.top < view.top + 10) sky.scrollTop += box.top - view.top - 60;
    else if (box.bottom > view.bottom - 10) sky.scrollTop += box.bottom - view.bottom + 60;
  }

  return {
    update,
    unmount() {
      flight?.abort();
      parts?.tensor?.unmount();
      parts?.cell.unmount();
    },
  };
}

/** What the marks in the boxes mean. */
function key() {
  return h(
    "p",
    { class: "note forward-key" },
    h("span", { class: "forward-learned" }),
    "has learned numbers",
    h("span", { class: "forward-sizes" }, "▂▅▃"),
    "size of each piece’s numbers",
  );
}
