// A number as a sum of products, the largest first; as mini_bert/analysis/sums.py tells it.
//
// A factor is { text, value } or { text, values, of, name, called, places }: the same factor of many products, whose
// places are an index in which some axes are lists. A product is a list of factors.

/** A number that is no cell of an array. */
export const constant = (value, text) => ({ value, text });

const length = (product) => Math.max(1, ...product.map((one) => one.values?.length ?? 1));
const valueOf = (factor, k) => (factor.values ? factor.values[factor.values.length === 1 ? 0 : k] : factor.value);

function termsOf(product) {
  return Array.from({ length: length(product) }, (_, k) => ({
    value: product.reduce((all, factor) => all * valueOf(factor, k), 1),
    told: () => product.map((factor) => toldFactor(factor, k)),
  }));
}

function toldFactor(factor, k) {
  const value = valueOf(factor, k);
  if (!factor.places) return { label: factor.text, value, name: null, of: null, index: null };
  const index = factor.places.map((axis) => (Array.isArray(axis) ? axis[k] : axis));
  const cell = `${factor.called}[${index.join(", ")}]`;
  const label = factor.text ? factor.text.replace("{}", cell) : cell;
  return { label, value, name: factor.name, of: factor.of, index };
}

/** { terms, others, rest } of some products. */
export function largest(products, most) {
  const terms = products.flatMap(termsOf);
  const order = terms.map((_, i) => i).sort((a, b) => Math.abs(terms[b].value) - Math.abs(terms[a].value) || a - b);
  const rest = order.slice(most).map((i) => terms[i].value);
  return {
    terms: order.slice(0, most).map((i) => {
      const factors = terms[i].told();
      return { value: terms[i].value, label: factors.map((one) => one.label).join(" · "), factors };
    }),
    others: rest.length,
    rest: rest.reduce((sum, value) => sum + value, 0),
  };
}

export const total = (products) => products.flatMap(termsOf).reduce((sum, term) => sum + term.value, 0);
