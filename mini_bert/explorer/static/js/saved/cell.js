// The answer "cell" of a saved page: the sum that made a number, added up here.

import { Numbers } from "./numbers.js";
import { recipe } from "./recipes.js";
import { largest } from "./sums.js";

const TOLD = 12;
const TOLD_BESIDE = 5;

/** The same as the program's answer; `load` gives tables, `recipes` tell how steps are made. */
export async function cell({ name, of = "value", index, most = TOLD }, recipes, load) {
  const about = (of === "weight" ? recipes.weights : recipes.steps)[name];
  if (!about || (of !== "value" && of !== "weight")) return null;
  const numbers = new Numbers(load, { value: recipes.steps, weight: recipes.weights });
  const { values, text, places, ...own } = await numbers.at(name, of, index);
  const table = await numbers.table(name, of);
  const found = {
    name,
    dotted: about.dotted,
    of,
    index,
    value: values[0],
    label: `${own.called}[${index.join(", ")}]`,
    where: whereOf(table, index),
    parts: [],
  };
  if (of === "weight") return { ...found, ...learned(about) };
  const { products, asides } = await recipe(about, name, index, values[0], numbers);
  return {
    ...found,
    kind: about.kind,
    equation: about.equation,
    mathml: about.mathml,
    note: "",
    ...largest(products, most),
    asides: asides.map(({ products: added, ...told }) => ({ ...told, ...largest(added, TOLD_BESIDE) })),
  };
}

function learned({ used }) {
  const note = `Training has set this number. It is used in ${used.join(", ")}.`;
  return { kind: "given", equation: "", mathml: "", note, terms: [], others: 0, rest: 0, asides: [] };
}

/** The place of a number in words: which piece, which head, which of its numbers. */
function whereOf(table, index) {
  return table.axes.flatMap(({ kind }, axis) => {
    if (kind === "text") return [];
    const side = [table.rows, table.columns].find((one) => one.axis === axis);
    const label = side ? side.labels[side.index.indexOf(index[axis])] : `${kind} ${index[axis]}`;
    return [{ kind, title: side ? side.title : kind, at: index[axis], label }];
  });
}
