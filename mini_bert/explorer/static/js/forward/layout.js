// Where the steps of a pass stand in the diagram: top down as the data flows, a block for each part of the model.
// Nothing here knows an architecture: rows come from what is made of what, and the way past a part from its sums.

export const NODE = { width: 116, height: 42 };
const PITCH = { x: 128, y: 58 };
const BLOCK = { top: 30, bottom: 12, gap: 18, closed: 46, side: 30 };
const LANE = 14;

/**
 * steps as the answer "forward" has them; isOpen(block) tells which blocks show their steps.
 * Returns { nodes: [{id, step, block, x, y, width, height}], blocks, edges: [{from, to, kind, path}], width, height }
 */
export function laidOut(answer, isOpen) {
  const shown = answer.steps.filter((step) => !step.same_as);
  const original = new Map(answer.steps.map((step) => [step.name, step.same_as ?? step.name]));
  const sources = (step) => [...new Set(step.inputs.map((one) => original.get(one) ?? one))];
  const inputs = new Map(shown.map((step) => [step.name, sources(step)]));
  const blocks = answer.blocks
    .map((name) => ({ name, steps: shown.filter((step) => step.block === name), open: isOpen(name) }))
    .filter((block) => block.steps.length);
  for (const block of blocks) if (block.open) Object.assign(block, arranged(block.steps, inputs));
  const reach = Math.max(0.5, ...blocks.filter((one) => one.open).map((one) => one.reach));
  const middle = BLOCK.side + reach * PITCH.x + NODE.width / 2;
  const nodes = placed(blocks, middle);
  const at = new Map(nodes.flatMap((node) => node.steps.map((step) => [step.name, node])));
  const edges = joined(shown, inputs, at);
  const lanes = inLanes(edges.filter((edge) => edge.kind === "past"));
  const inner = middle + reach * PITCH.x + NODE.width / 2;
  for (const edge of edges) {
    edge.path = edge.kind === "past" ? pathPast(edge, inner + LANE * (edge.lane + 1)) : pathDown(edge);
  }
  const width = inner + LANE * (lanes + 1) + 6;
  for (const block of blocks) block.width = width;
  return { nodes, blocks, edges, width, height: blocks.at(-1).y + blocks.at(-1).height, middle };
}

/** Rows by the longest way through the block, and across them so that what belongs together is close. */
function arranged(steps, inputs) {
  const row = new Map();
  const within = (step) => inputs.get(step.name).filter((one) => row.has(one));
  for (const step of steps) row.set(step.name, 1 + Math.max(-1, ...within(step).map((one) => row.get(one))));
  const isPast = (step, one) => step.kind === "sum" && row.get(step.name) - row.get(one) > 1;
  const near = (step) => within(step).filter((one) => !isPast(step, one));
  const inRow = (i) => steps.filter((step) => row.get(step.name) === i);
  const rows = Array.from({ length: 1 + Math.max(...row.values()) }, (_, i) => inRow(i));
  const across = new Map();
  for (const [i, line] of rows.entries()) {
    const below = steps.filter((step) => row.get(step.name) > i);
    const isCrossed = below.some((step) => near(step).some((one) => row.get(one) < i));
    if (line.length === 1 && !isCrossed) {
      across.set(line[0].name, 0);
      continue;
    }
    const wish = (step, j) => mean(near(step).map((one) => across.get(one))) ?? j - (line.length - 1) / 2;
    const wishes = line.map((step, j) => ({ step, x: wish(step, j) })).sort((a, b) => a.x - b.x);
    for (const [step, x] of apart(wishes)) across.set(step.name, x);
  }
  return { row, across, rows: rows.length, reach: Math.max(...[...across.values()].map(Math.abs)) };
}

const mean = (xs) => (xs.length ? xs.reduce((sum, x) => sum + x, 0) / xs.length : undefined);

/** Neighbours at least one lane apart, around the middle that they wished for. */
function apart(wishes) {
  const middle = mean(wishes.map((one) => one.x));
  const xs = [];
  for (const { x } of wishes) xs.push(xs.length ? Math.max(x, xs.at(-1) + 1) : x);
  const shift = middle - mean(xs);
  return wishes.map(({ step }, i) => [step, xs[i] + shift]);
}

function placed(blocks, middle) {
  const nodes = [];
  let y = 0;
  for (const block of blocks) {
    block.y = y;
    block.height = block.open ? BLOCK.top + (block.rows - 1) * PITCH.y + NODE.height + BLOCK.bottom : BLOCK.closed;
    if (!block.open) {
      const size = { width: 2 * PITCH.x, height: BLOCK.closed };
      nodes.push({ id: block.name, block, steps: block.steps, x: middle, y: y + BLOCK.closed / 2, ...size });
    } else {
      for (const step of block.steps) {
        const down = y + BLOCK.top + block.row.get(step.name) * PITCH.y + NODE.height / 2;
        const right = middle + block.across.get(step.name) * PITCH.x;
        nodes.push({ id: step.name, block, step, steps: [step], x: right, y: down, ...NODE });
      }
      block.parts = partsOf(block, nodes);
    }
    y += block.height + BLOCK.gap;
  }
  return nodes;
}

/** From which row to which row attention goes, and the feed-forward network. */
function partsOf(block, nodes) {
  const names = [...new Set(block.steps.map((step) => step.part))].filter(Boolean);
  return names.map((name) => {
    const own = nodes.filter((node) => node.block === block && node.step?.part === name);
    const ys = own.map((one) => one.y);
    return { name, from: Math.min(...ys) - NODE.height / 2, to: Math.max(...ys) + NODE.height / 2 };
  });
}

/** An edge for each pair of drawn boxes; past: on the outside, around what lies between. */
function joined(shown, inputs, at) {
  const edges = new Map();
  for (const step of shown) {
    for (const name of inputs.get(step.name)) {
      const [from, to] = [at.get(name), at.get(step.name)];
      if (!from || !to || from === to) continue;
      const key = `${from.id}\n${to.id}`;
      const edge = edges.get(key) ?? { from, to, pairs: [] };
      edge.pairs.push([name, step.name]);
      edges.set(key, edge);
    }
  }
  const order = [...new Set([...at.values()])].sort((a, b) => a.y - b.y);
  for (const edge of edges.values()) {
    const sum = edge.pairs.every(([, to]) => shown.find((step) => step.name === to).kind === "sum");
    const between = order.filter((node) => node.y > edge.from.y + 1 && node.y < edge.to.y - 1);
    const crossesBlocks = between.some((node) => node.block !== edge.from.block && node.block !== edge.to.block);
    edge.kind = between.length && (sum || crossesBlocks) ? "past" : "down";
  }
  return [...edges.values()];
}

/** Lines on the outside that overlap get lanes of their own; returns how many. */
function inLanes(edges) {
  const ends = [];
  for (const edge of [...edges].sort((a, b) => a.from.y - b.from.y)) {
    let lane = ends.findIndex((end) => end <= edge.from.y);
    if (lane < 0) lane = ends.length;
    ends[lane] = edge.to.y;
    edge.lane = lane;
  }
  return ends.length;
}

function pathDown({ from, to }) {
  const [x1, y1, x2, y2] = [from.x, from.y + from.height / 2, to.x, to.y - to.height / 2 - 3];
  const bend = Math.min(PITCH.y - NODE.height, y2 - y1) / 2 + 4;
  const start = Math.max(y1, y2 - 2 * bend);
  return `M${x1} ${y1}V${start}C${x1} ${start + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

function pathPast({ from, to }, x) {
  const [x1, y1, x2, y2] = [from.x + from.width / 2, from.y + 8, to.x + to.width / 2 + 3, to.y];
  const r = 9;
  return `M${x1} ${y1}H${x - r}Q${x} ${y1} ${x} ${y1 + r}V${y2 - r}Q${x} ${y2} ${x - r} ${y2}H${x2}`;
}
