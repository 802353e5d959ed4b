// Durations, dates and states as people say them.

import { whole } from "../dom.js";

/** 42 s, 1 min 35 s, 2 h 3 min */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const all = Math.round(seconds);
  if (all >= 3600) {
    const inMinutes = Math.round(seconds / 60);
    return `${whole(Math.floor(inMinutes / 60))} h ${inMinutes % 60} min`;
  }
  const [minutes, left] = [Math.floor(all / 60), all % 60];
  return minutes ? `${minutes} min ${left} s` : `${left} s`;
}

export const date = (iso) => new Date(iso).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

export const STATES = {
  running: "running now",
  finished: "finished",
  unfinished: "stopped before its end",
  "no checkpoint": "nothing saved yet",
};

export const WHY = {
  hidden: "the hidden piece",
  target: "the word you chose",
  best: "the last checkpoint's best word",
  next: "the piece that follows",
};

/** Everything of a question that runs depend on: only the model, so that typing asks for no run again. */
export const bare = (question) => ({ model: question.model, text: "", hidden: [], target: {}, edits: [] });
