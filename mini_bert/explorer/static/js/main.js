// Boots the page: header, sentence, tabs, and the view that is shown.

import { clear, h } from "./dom.js";
import { header } from "./frame/header.js";
import { instead, isRefusal } from "./frame/instead.js";
import { problems } from "./frame/problems.js";
import { sentence } from "./frame/sentence.js";
import { status } from "./frame/status.js";
import { tabs } from "./frame/tabs.js";
import { ask, isFile, isGone, models } from "./source.js";
import { get, question, set, subscribe } from "./state.js";

// Written out one by one, so that a page saved as one file finds each module by its name.
const VIEWS = {
  words: { name: "Words to pieces", load: () => import("./views/words.js") },
  forward: { name: "Forward", load: () => import("./views/forward.js") },
  attention: { name: "Attention", load: () => import("./views/attention.js") },
  predictions: { name: "Predictions", load: () => import("./views/predictions.js") },
  backward: { name: "Backward", load: () => import("./views/backward.js") },
  learn: { name: "Learn", load: () => import("./views/learn.js") },
  training: { name: "Training", load: () => import("./views/training.js") },
  representations: { name: "Representations", load: () => import("./views/representations.js") },
  family: { name: "Family", load: () => import("./views/family.js") },
};

const part = (id) => document.getElementById(id);
const trouble = problems(part("problem"));
const note = instead(part("instead"));
let known = [];

const page = {
  state: get,
  set,
  ask,
  question,
  isFile,
  /** Facts of the chosen model, as GET /api/models tells them, the default first; null of one that is not here. */
  model: () => (get().model ? known.find((one) => one.name === get().model) : known[0]) ?? null,
  models: () => known,
  problem: trouble.show,
  /** The view has nothing to show for this question. */
  refused(error) {
    if (!isRefusal(error)) return trouble.show(error);
    refusals += 1;
    return note.refused(error);
  },
};

let mounted = { id: null, view: null, needsText: false };
let wanted = null;
let updates = 0;
let refusals = 0;

async function showView() {
  const id = Object.hasOwn(VIEWS, get().view) ? get().view : "words";
  wanted = id;
  if (mounted.id === id) return update();
  let module;
  try {
    module = await VIEWS[id].load();
  } catch (error) {
    if (wanted !== id) return;
    console.warn(error);
    module = missing(VIEWS[id].name);
  }
  if (wanted !== id) return;
  close();
  const root = h("div", { class: `view view-${id}`, "data-view": id });
  clear(part("view"), root);
  clear(part("hint"), module.hint);
  document.title = `${module.title} · Mini-BERT explorer`;
  note.of(root);
  mounted = { id, needsText: module.needsText ?? false, view: guarded(() => module.mount(root, page)) };
  update();
}

/** A note in the place of the view goes when the view is drawn again, and nobody has refused meanwhile. */
async function update() {
  const mine = (updates += 1);
  refusals = 0;
  if (mounted.needsText && !get().text.trim()) return note.noText();
  await guarded(() => mounted.view?.update?.(get()));
  if (mine === updates && refusals === 0) note.hide();
  return undefined;
}

function close() {
  guarded(() => mounted.view?.unmount?.());
  mounted = { id: null, view: null, needsText: false };
}

/** What a view throws becomes a message; the frame lives on. */
function guarded(act) {
  try {
    const made = act();
    if (made instanceof Promise) return made.catch((error) => !isGone(error) && trouble.show(error));
    return made;
  } catch (error) {
    if (!isGone(error)) trouble.show(error);
    return null;
  }
}

const missing = (title) => ({
  title,
  hint: "",
  mount(root) {
    root.append(h("p", { class: "note" }, "This view could not be loaded. Is mini-bert explore still running?"));
    return {};
  },
});

/** The link past the frame; followed as a link it would become the address, which is the state. */
function skipToView(event) {
  event.preventDefault();
  part("view-panel").focus();
}

async function boot() {
  document.querySelector(".skip").addEventListener("click", skipToView);
  const top = header(part("header"), page);
  const text = sentence(part("sentence"), page);
  const bar = tabs(part("tabs"), VIEWS, page);
  const line = status(part("status"), page);
  const refresh = () => {
    top.update(get());
    text.update(get());
    bar.update(get());
    line.update(get());
  };
  subscribe(() => {
    trouble.changed();
    refresh();
    showView();
  });
  refresh();
  try {
    known = (await models()).models;
  } catch (error) {
    trouble.show(error);
  }
  refresh();
  await showView();
}

boot();
