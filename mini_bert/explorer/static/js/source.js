// Where answers come from: the server, or the snapshot inside a page that was saved as one file.
// Nothing else in the page knows which.
//
// A saved page holds <script type="application/json" id="snapshot"> with
//   { "models": answer of GET /api/models, "answers": { key(name, body): base64 of the packed answer,
//     deflated, or {what, remedy} }, "questions": [those whose numbers it holds], "hash": "#..." }

import { Tensor, unpack } from "./tensor.js";

export { Tensor };

/** Answers that no file can hold: they come from training that goes on, or from weights that change. */
const LIVE = new Set([
  "runs",
  "run",
  "run_diagnosis",
  "run_checkpoints",
  "run_probe",
  "learn",
  "rates",
  "change",
  "slope",
]);
const KEPT_ANSWERS = 120;
const KEPT_BYTES = 96 * 2 ** 20;

/** An answer that could not be given: what is wrong, and what to do. */
export class Problem extends Error {
  constructor(what, remedy = "", status = 0) {
    super(what);
    this.name = "Problem";
    this.what = what;
    this.remedy = remedy;
    this.status = status;
  }
}

const embedded = document.getElementById("snapshot");
const snapshot = embedded ? JSON.parse(embedded.textContent) : null;

/** Whether this page is a file without a server. */
export const isFile = snapshot !== null;
export const savedHash = snapshot?.hash ?? "";

const kept = new Map(); // key -> {answer, bytes}, the least used first
let keptBytes = 0;
const flying = new Map(); // key -> {promise, controller, waiting}
const listeners = new Set();

/** `listener({name, milliseconds, busy})` at every answer and at every start; one that was at hand takes 0. */
export function onAnswer(listener) {
  listeners.add(listener);
}

/** JSON with sorted keys and no spaces: equal questions have equal texts. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

export const keyOf = (name, body) => `${name}\n${canonical(body)}`;

/** Whether an answer is here without asking the server. */
export function isHere(name, body) {
  const key = keyOf(name, body);
  return kept.has(key) || Boolean(snapshot && key in snapshot.answers);
}

/** The answer to a question. `fresh`: never one that was given before. */
export async function ask(name, body, { signal, fresh = false } = {}) {
  const key = keyOf(name, body);
  if (!fresh && kept.has(key)) {
    tell({ name, milliseconds: 0, busy: flying.size > 0 });
    return remembered(key);
  }
  if (snapshot) return unlessGone(fromSnapshot(name, key, body), signal);
  let flight = fresh ? undefined : flying.get(key);
  if (!flight) flight = start(name, key, body, fresh);
  return joined(flight, signal);
}

/** Names and facts of the models that can be chosen. */
export async function models() {
  if (snapshot) return snapshot.models;
  return (await request("/api/models", { headers: { Accept: "application/json" } })).json();
}

/** The whole page with its data as one file: a Blob. */
export async function wholePage(body) {
  return (await request("/api/export", posted(body))).blob();
}

function remembered(key) {
  const found = kept.get(key);
  kept.delete(key);
  kept.set(key, found);
  return found.answer;
}

function remember(key, answer, bytes) {
  if (bytes > KEPT_BYTES / 4 || kept.has(key)) return;
  kept.set(key, { answer, bytes });
  keptBytes += bytes;
  for (const [oldest, { bytes: less }] of kept) {
    if (kept.size <= KEPT_ANSWERS && keptBytes <= KEPT_BYTES) break;
    kept.delete(oldest);
    keptBytes -= less;
  }
}

async function fromSnapshot(name, key, body) {
  const began = performance.now();
  const found = (await saved(key)) ?? (isAbout(body?.question) ? await reckoned(name, body) : null);
  if (found) {
    tell({ name, milliseconds: performance.now() - began, busy: false });
    return found;
  }
  throw new Problem(
    LIVE.has(name) ? "This needs the program." : "This is not in this file.",
    `A saved page holds the numbers of “${snapshot.questions[0].text}”. Start mini-bert explore for anything else.`,
  );
}

/** What lies in the file under a key: an answer, or why there was none. */
async function saved(key) {
  if (kept.has(key)) return remembered(key);
  const packed = snapshot.answers[key];
  if (packed === undefined) return null;
  if (typeof packed !== "string") throw new Problem(packed.what, packed.remedy);
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const buffer = await new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
  ).arrayBuffer();
  const answer = unpack(buffer);
  remember(key, answer, buffer.byteLength);
  return answer;
}

/** Whether the file knows the numbers of this question. */
function isAbout(question) {
  const asked = canonical(question);
  return snapshot.questions.some((one) => canonical(one) === asked);
}

async function reckoned(name, body) {
  const { answerOf } = await import("./saved/answers.js");
  return answerOf(name, body, (kind, which) => saved(keyOf(`saved ${kind}`, which)));
}

function start(name, key, body, fresh) {
  const controller = new AbortController();
  const flight = { key, controller, waiting: 0 };
  flight.promise = fetched(name, key, body, fresh, controller.signal).finally(() => {
    if (flying.get(key) === flight) flying.delete(key);
    tell({ name, busy: flying.size > 0 });
  });
  flight.promise.catch(() => {}); // each one who waits gets the error; nobody may be waiting any more
  if (!fresh) flying.set(key, flight);
  tell({ name, busy: true });
  return flight;
}

async function fetched(name, key, body, fresh, signal) {
  const began = performance.now();
  const response = await request(`/api/${name}`, { ...posted(body), signal });
  const buffer = await response.arrayBuffer();
  const answer = unpack(buffer);
  if (!fresh) remember(key, answer, buffer.byteLength);
  tell({ name, milliseconds: performance.now() - began, busy: flying.size > 1 });
  return answer;
}

/** Many may wait for one request; it is given up when the last of them has gone. */
function joined(flight, signal) {
  if (signal?.aborted) return Promise.reject(gone());
  flight.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = () => {
      flight.waiting -= 1;
      if (flight.waiting === 0) giveUp(flight);
      reject(gone());
    };
    signal?.addEventListener("abort", leave, { once: true });
    flight.promise.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
  });
}

/** What a file is asked is found out in any case, but nobody who has gone hears of it. */
async function unlessGone(promise, signal) {
  await promise.catch(() => {});
  if (signal?.aborted) throw gone();
  return promise;
}

function giveUp(flight) {
  if (flying.get(flight.key) === flight) flying.delete(flight.key); // who asks the same now starts anew
  flight.controller.abort();
}

const gone = () => new DOMException("no longer wanted", "AbortError");

/** Whether an error only says that nobody wants the answer any more. */
export const isGone = (error) => error?.name === "AbortError";

function posted(body) {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/octet-stream" },
    body: JSON.stringify(body),
  };
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (isGone(error)) throw error;
    throw new Problem("The program does not answer.", "Is mini-bert explore still running in the terminal?");
  }
  if (response.ok) return response;
  const { error = {} } = await response.json().catch(() => ({}));
  throw new Problem(error.what ?? `The program answered ${response.status}.`, error.remedy ?? "", response.status);
}

function tell(event) {
  for (const listener of listeners) listener(event);
}
