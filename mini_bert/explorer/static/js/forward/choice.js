// What the address says of the forward view: the array, how it is cut, its cell, and which blocks are open.

const SMALL = 4;

export const asNumbers = (text) => (/^\d{1,7}(,\d{1,7})*$/.test(text ?? "") ? text.split(",").map(Number) : null);

/** {head: 2, row: 256} -> head:2,row:256 */
export const asText = (slice) => Object.entries(slice).map(([kind, at]) => `${kind}:${at}`).join(",");

export function asSlice(text) {
  const found = (text ?? "").split(",").map((one) => /^([a-z]+):(\d{1,7})$/.exec(one));
  return Object.fromEntries(found.filter(Boolean).map(([, kind, at]) => [kind, Number(at)]));
}

/** The step that is looked at, and which of its weights if it is one of those. */
export function chosen(state, { steps }) {
  const name = state["forward.tensor"];
  if (state["forward.of"] === "weight") {
    const step = steps.find((one) => one.weights.some((weight) => weight.name === name));
    if (step) return { step, weight: step.weights.find((weight) => weight.name === name) };
  }
  const found = steps.find((one) => one.name === name || one.dotted === name) ?? steps[0];
  return { step: steps.find((one) => one.name === found.same_as) ?? found, weight: null };
}

/** Blocks that show their steps: those that were opened; at first the small ones, and the layer that is looked at. */
export function openBlocks(state, answer) {
  const written = state["forward.open"]?.split(",");
  if (written) return answer.blocks.filter((block) => written.includes(block));
  const { step } = chosen(state, answer);
  const isLayer = (block) => block.startsWith("Layer");
  const first = isLayer(step.block) ? step.block : answer.blocks.find(isLayer);
  const size = (block) => answer.steps.filter((one) => one.block === block && !one.same_as).length;
  return answer.blocks.filter((block) => block === first || block === step.block || size(block) <= SMALL);
}

/** The open blocks, and the one that an array is in, as the address has them. */
export function withBlockOf(name, state, answer) {
  const step = answer.steps.find((one) => one.name === name || one.weights.some((weight) => weight.name === name));
  return [...new Set([...openBlocks(state, answer), step?.block])].filter(Boolean).join(",");
}
