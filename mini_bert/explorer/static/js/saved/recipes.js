// How a number is made, by kind of operation; as mini_bert/analysis/graph tells it. Each function takes what the
// recipe says, the index of the number, and the numbers, and gives { products, asides }.

import { CURVES } from "./curves.js";
import { constant, total } from "./sums.js";

const upTo = (n) => Array.from({ length: n }, (_, i) => i);
const mapped = (factor, f) => ({ ...factor, values: factor.values.map(f) });
const last = (list) => list[list.length - 1];

/** x W + b; W is seen as [in, out], a table of words that is read the other way round as [out, in]. */
async function linear({ source, weight, bias, heads, single, output }, index, numbers) {
  let [row, i] = single ? [index, 0] : [index.slice(0, -1), last(index)];
  if (heads) {
    const [b, a, t, d] = index;
    [row, i] = [[b, t], a * last(await numbers.shape(output)) + d];
  }
  const j = upTo(last(await numbers.shape(source)));
  const [first] = (await numbers.table(weight, "weight")).axes;
  const places = first.kind === "word" || first.kind === "out" ? [i, j] : [j, i];
  const products = [[await numbers.value(source, [...row, j]), await numbers.weight(weight, places)]];
  if (bias) products.push([await numbers.weight(bias, [i])]);
  return { products };
}

async function rows({ source, tables }, index, numbers) {
  const [b, t, j] = index;
  const products = source ? [[await numbers.value(source, index)]] : [];
  for (const { name, rows: each } of tables) products.push([await numbers.weight(name, [each.at(b, t), j])]);
  return { products };
}

async function added({ inputs }, index, numbers) {
  return { products: await Promise.all(inputs.map(async (name) => [await numbers.value(name, index)])) };
}

async function multiplied({ inputs }, index, numbers) {
  return { products: [await Promise.all(inputs.map((name) => numbers.value(name, index)))] };
}

async function activated({ source, curve, text, share }, index, numbers) {
  const x = await numbers.value(source, index);
  const passed = mapped({ ...x, text }, CURVES[curve]);
  return { products: [share ? [x, passed] : [passed]] };
}

async function normed({ source, gain, shift, eps, eps_text, rms }, index, numbers) {
  const [row, j] = [index.slice(0, -1), last(index)];
  const each = await numbers.value(source, [...row, upTo(last(await numbers.shape(source)))]);
  const H = each.values.length;
  const mean = (values) => values.reduce((sum, x) => sum + x, 0) / H;
  const mu = rms ? 0 : mean(each.values);
  const squares = mapped({ ...each, text: rms ? "{}²" : "({} − μ)²" }, (x) => (x - mu) ** 2);
  const size = Math.sqrt(mean(squares.values) + eps);
  const name = rms ? "r" : "σ";
  const per = constant(1 / H, `1/${H}`);
  const perSize = constant(1 / size, `1/${name}`);
  const gained = await numbers.weight(gain, [j]);
  const products = [[gained, await numbers.value(source, index), perSize]];
  if (!rms) products.push([constant(-mu, "−μ"), gained, perSize]);
  if (shift) products.push([await numbers.weight(shift, [j])]);
  const asides = [{ label: name, equation: `√(Σ + ε), ε = ${eps_text}`, value: size, products: [[squares, per]] }];
  if (!rms) asides.unshift({ label: "μ", equation: "Σ", value: mu, products: [[each, per]] });
  return { products, asides };
}

async function scores({ terms }, index, numbers) {
  const found = await Promise.all(terms.map((term) => scoreTerms[term.by](term, index, numbers)));
  return { products: found.flat() };
}

const scoreTerms = {
  async match({ query, key, scale, scaling }, [b, a, i, j], numbers) {
    const each = upTo(last(await numbers.shape(query)));
    const pair = [await numbers.value(query, [b, a, i, each]), await numbers.value(key, [b, a, j, each])];
    return [[...pair, constant(scale, scaling)]];
  },
  async distance({ table, rows: row }, [, a, i, j], numbers) {
    return [[await numbers.weight(table, [a, row.at(i, j)])]];
  },
  async whole({ text, values, told_if_zero }, index) {
    const value = values.at(...index);
    return value || told_if_zero ? [[constant(value, text)]] : [];
  },
};

async function shares({ source }, index, numbers) {
  const row = index.slice(0, -1);
  const every = await numbers.value(source, [...row, upTo(last(await numbers.shape(source)))], "exp({} − max)");
  const most = Math.max(...every.values);
  const exp = mapped(every, (s) => Math.exp(s - most));
  const sum = exp.values.reduce((all, x) => all + x, 0);
  const own = { ...exp, values: [exp.values[last(index)]], places: index };
  const asides = [{ label: "Σ exp", equation: "Σ", value: sum, products: [[exp]] }];
  return { products: [[own, constant(1 / sum, "1/Σ exp")]], asides };
}

async function mixture({ shares: given, values }, [b, i, h], numbers) {
  const [Tk, D] = (await numbers.shape(values)).slice(-2);
  const [a, d, keys] = [Math.floor(h / D), h % D, upTo(Tk)];
  return { products: [[await numbers.value(given, [b, a, i, keys]), await numbers.value(values, [b, a, keys, d])]] };
}

async function turned({ source, places, base }, [b, a, t, d], numbers) {
  const half = Math.floor(last(await numbers.shape(source)) / 2);
  const isFirst = d < half;
  const angle = places.at(t) * base ** (-(d % half) / half);
  const other = isFirst ? d + half : d - half;
  const sin = constant((isFirst ? -1 : 1) * Math.sin(angle), isFirst ? "−sin" : "sin");
  const own = [await numbers.value(source, [b, a, t, d]), constant(Math.cos(angle), "cos")];
  return { products: [own, [await numbers.value(source, [b, a, t, other]), sin]] };
}

async function pooled({ source, shares: each }, [b, h], numbers) {
  const t = upTo(each.shape[1]).filter((one) => each.at(b, one) !== 0);
  const share = { values: t.map((one) => each.at(b, one)), text: "share" };
  return { products: [[share, await numbers.value(source, [b, t, h])]] };
}

const KINDS = { linear, rows, added, multiplied, activated, normed, scores, shares, mixture, turned, pooled };

/** The products and asides of a number; what a hook changed is a term of its own. */
export async function recipe({ made, hooked }, name, index, value, numbers) {
  const { products, asides = [] } = await KINDS[made.by]({ ...made, output: name }, index, numbers);
  if (hooked) products.push([constant(value - total(products), "changed by a hook")]);
  return { products, asides };
}
