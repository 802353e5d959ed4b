// Heads, pieces and changes in words.

import { num, percent } from "../dom.js";
import { readable } from "../pieces.js";

const ROLES = {
  previous: ["before", "it looks at the piece before"],
  next: ["next", "it looks at the next piece"],
  "two before": ["two before", "it looks at the piece two places before"],
  "two after": ["two after", "it looks at the piece two places after"],
  itself: ["itself", "each piece looks at itself"],
  "same word": ["same word", "it looks at the same word elsewhere"],
  punctuation: ["punctuation", "it looks at punctuation"],
  broad: ["all around", "it looks all around, at nothing in particular"],
  mixed: ["mixed", "it looks at different things from different pieces"],
};

/** What a head looks at, in a word or two. */
export const roleName = (role) => ROLES[role]?.[0] ?? role;

/** The same as a sentence, with how much more it is than chance. */
export function roleSentence({ role, score, baseline }) {
  const told = ROLES[role]?.[1] ?? `it looks at ${role}`;
  if (score === null || score === undefined || Number.isNaN(score)) return `In this sentence ${told}.`;
  return (
    `In this sentence ${told}: ${percent(score)} of its attention goes there; of a head that looks ` +
    `everywhere alike, ${percent(baseline)} would.`
  );
}

export const headName = ({ layer, head }) => `layer ${layer}, head ${head}`;

/** A piece as people read it, with its place where it is needed to tell it from its twin. */
export function pieceName(pieces, place) {
  const piece = pieces[place];
  if (piece === undefined) return `place ${place}`;
  const isTwin = pieces.indexOf(piece) !== pieces.lastIndexOf(piece);
  return isTwin ? `${readable(piece)} (${place})` : readable(piece);
}

/** An edit as its chip tells it. */
export function editName(edit, pieces) {
  const what = {
    off: () => "off",
    mean: () => "its mean for every piece",
    even: () => "looks evenly",
    look: () =>
      `${(edit.query ?? null) === null ? "every piece" : pieceName(pieces, edit.query)} ` +
      `looks at ${pieceName(pieces, edit.key)} alone`,
  }[edit.kind]();
  return `${headName(edit)}: ${what}`;
}

/** −7.8 points, +0.12 points */
export function points(difference) {
  const told = num(100 * difference, Math.abs(difference) < 0.0995 ? 2 : 3);
  return `${difference > 0 ? "+" : ""}${told} points`;
}

/** 0 -> 1st */
export function ordinal(rank) {
  const n = rank + 1;
  const teen = n % 100 > 10 && n % 100 < 14;
  const end = teen ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[n % 10] ?? "th");
  return `${n.toLocaleString("en-GB")}${end}`;
}
