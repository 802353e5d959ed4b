// Answers that a saved page gives itself, for the question that it was saved with: tables of arrays by what they show,
// and the sum behind any number in them.

import { cell } from "./cell.js";
import { NotSaved } from "./numbers.js";

/**
 * The answer, or null if the page cannot tell. `stored(kind, which)` finds what was saved: "tensor" {name, of, head},
 * "cell" {name, of, index}, "recipes" {}.
 */
export async function answerOf(name, body, stored) {
  if (name !== "tensor" && name !== "cell") return null;
  const recipes = await stored("recipes", {});
  const { of = "value", index = [] } = body;
  const array = shortName(body.name, of, recipes);
  const load = (one, kind, head) => stored("tensor", { name: one, of: kind, head });
  if (name === "tensor") return load(array, of, body.slice?.head ?? 0);
  const told = await stored("cell", { name: array, of, index });
  if (told) return told;
  try {
    return recipes && (await cell({ ...body, name: array, of, index }, recipes, load));
  } catch (error) {
    if (error instanceof NotSaved) return null;
    throw error;
  }
}

/** Arrays were saved under their short names; they may be asked for by their dotted ones. */
function shortName(name, of, recipes) {
  const known = Object.entries(recipes?.[of.startsWith("weight") ? "weights" : "steps"] ?? {});
  return known.find(([, about]) => about.dotted === name)?.[0] ?? name;
}
