// The curves of activations, in float64.

const ROOT = Math.sqrt(2 / Math.PI);

export const sigmoid = (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

/** erf(x) = 2/√π e^(−x²) Σ_n 2ⁿ x^(2n+1) / (2n+1)!!, a series whose terms have one sign. */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** By name: f(x), or the share of x that passes. */
export const CURVES = {
  relu: (x) => (x > 0 ? 1 : 0),
  gelu: (x) => (1 + erf(x / Math.SQRT2)) / 2,
  gelu_tanh: (x) => (1 + Math.tanh(ROOT * (x + 0.044715 * x ** 3))) / 2,
  sigmoid,
  tanh: Math.tanh,
};
