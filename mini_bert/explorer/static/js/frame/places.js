// When text or model change, places move: what was hidden stays hidden where its piece is still there.

/** How a state's text is cut, nothing hidden: [{piece, word, ...}]. */
export async function cutOf(page, state, signal) {
  const plain = { model: state.model, text: state.text, hidden: [], target: {}, edits: [] };
  return (await page.ask("words", { question: plain }, { signal })).pieces;
}

/** The pieces alone. */
export async function piecesOf(page, state) {
  return (await cutOf(page, state)).map((one) => one.piece);
}

let chosen = 0; // how often a model was chosen: one that loads slowly must not win over a later choice

/** Takes another model, which may cut the text otherwise and has other heads. */
export async function takeModel(page, model) {
  const mine = (chosen += 1);
  const state = page.state();
  const [before, after] = await Promise.all(
    [state, { ...state, model }].map((one) => piecesOf(page, one).catch(() => [])),
  );
  if (mine !== chosen) return;
  if (page.state() !== state) await takeModel(page, model); // the text or what is hidden has changed meanwhile
  else page.set({ model, ...moved(state, before, after), edits: [] });
}

export const usesPlaces = (state) =>
  state.hidden.length > 0 || Object.keys(state.target).length > 0 || state.edits.some((one) => one.kind === "look");

/** hidden, target and edits of a state, moved from the pieces before to the pieces after. */
export function moved(state, before, after) {
  const place = mover(before, after);
  const target = {};
  for (const [at, word] of Object.entries(state.target)) {
    const to = place(Number(at));
    if (to !== null) target[to] = word;
  }
  const edits = state.edits
    .map((edit) => ({
      ...edit,
      query: edit.query === null ? null : place(edit.query),
      key: edit.key === null ? null : place(edit.key),
      lost: [edit.query, edit.key].some((at) => at !== null && place(at) === null),
    }))
    .filter(({ lost }) => !lost)
    .map(({ lost: _, ...edit }) => edit);
  return { hidden: state.hidden.map(place).filter((at) => at !== null), target, edits };
}

/** A function from old places to new ones, null for pieces that changed: what is alike at both ends stays. */
function mover(before, after) {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return (place) => {
    if (place < start) return place;
    if (place >= before.length - end && place < before.length) return place + after.length - before.length;
    return null;
  };
}
