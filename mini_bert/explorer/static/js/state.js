// What the page shows, kept in the address: a reload or a shared link gives the same page.
//
// state = { view, model, text, hidden: [place], target: {place: word}, edits: [{layer, head, kind, query, key}],
//           "attention.layer": "1", ... }    keys with a dot belong to a view and are strings

import { savedHash } from "./source.js";

export const FIRST_TEXT = "The cat sat on the [MASK].";

const START = { view: "words", model: "", text: FIRST_TEXT, hidden: [], target: {}, edits: [] };
const listeners = new Set();
let state = fromHash(location.hash || savedHash);

export function get() {
  return state;
}

/** Takes changes over; a key of a view set to null or "" is left out of the address. */
export function set(changes, { replace = false } = {}) {
  const next = { ...state };
  for (const [key, value] of Object.entries(changes)) {
    if (key.includes(".") && (value === null || value === undefined || value === "")) delete next[key];
    else next[key] = key.includes(".") ? String(value) : value;
  }
  const before = toHash(state);
  const hash = toHash(next);
  state = next;
  if (hash === before) return;
  write(hash, replace);
  notify();
}

/** Calls `listener(state)` at every change; returns a function that ends it. */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The part of the state that the server is asked with. */
export function question(of = state) {
  return {
    model: of.model,
    text: of.text,
    hidden: [...of.hidden],
    target: { ...of.target },
    edits: of.edits.map(({ layer, head, kind, query = null, key = null }) => ({ layer, head, kind, query, key })),
  };
}

export function toHash(of) {
  const parts = new URLSearchParams();
  parts.set("view", of.view);
  if (of.model) parts.set("model", of.model);
  parts.set("text", of.text);
  if (of.hidden.length) parts.set("hidden", of.hidden.join(","));
  for (const [place, word] of Object.entries(of.target)) parts.append("target", `${place}:${word}`);
  for (const edit of of.edits) parts.append("edit", editAsText(edit));
  for (const key of Object.keys(of).filter((one) => one.includes(".")).sort()) parts.set(key, of[key]);
  return "#" + parts.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
}

export function fromHash(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const found = { ...START, target: {}, edits: [] };
  if (parts.get("view")) found.view = parts.get("view");
  found.model = parts.get("model") ?? "";
  found.text = parts.get("text") ?? FIRST_TEXT;
  found.hidden = inOrder((parts.get("hidden") ?? "").split(",").filter((one) => /^\d{1,6}$/.test(one)).map(Number));
  for (const one of parts.getAll("target")) {
    const [, place, word] = /^(\d{1,6}):(.+)$/s.exec(one) ?? [];
    if (word) found.target[Number(place)] = word;
  }
  found.edits = parts.getAll("edit").map(editFromText).filter(Boolean);
  for (const [key, value] of parts) if (key.includes(".") && value) found[key] = value;
  return found;
}

/** Places as the program tells them: each once, the first first. */
function inOrder(places) {
  return [...new Set(places)].sort((a, b) => a - b);
}

function number(text) {
  return text === undefined || text === "" ? null : Number(text);
}

function editAsText({ layer, head, kind, query = null, key = null }) {
  const places = kind === "look" ? `.${query ?? ""}.${key ?? ""}` : "";
  return `${layer}.${head}.${kind}${places}`;
}

function editFromText(text) {
  const [, layer, head, kind, query, key] =
    /^(\d{1,4})\.(\d{1,4})\.(off|mean|even|look)(?:\.(\d{0,6})\.(\d{0,6}))?$/.exec(text) ?? [];
  return kind ? { layer: Number(layer), head: Number(head), kind, query: number(query), key: number(key) } : null;
}

function write(hash, replace) {
  try {
    history[replace ? "replaceState" : "pushState"](null, "", hash);
  } catch {
    location.hash = hash; // browsers that limit history entries, or forbid them in files opened from disk
  }
}

function notify() {
  for (const listener of listeners) listener(state);
}

function reread() {
  const found = fromHash(location.hash || savedHash);
  if (toHash(found) === toHash(state)) return;
  state = found;
  notify();
}

addEventListener("popstate", reread);
addEventListener("hashchange", reread);
