// Steps in the address: adamw:0.001x3,sgd:0.1 is three of one kind and one of another.

export const MOST_STEPS = 100;
const HIGHEST = 10;
const PART = /^(sgd|momentum|adamw|lion|muon|lamb):(\d*\.?\d+(?:e-?\d+)?)(?:x(\d{1,3}))?$/;

export function stepsFromText(text) {
  const steps = [];
  for (const part of (text ?? "").split(",")) {
    const [, optimizer, rate, times = "1"] = PART.exec(part.trim()) ?? [];
    if (!optimizer || !(Number(rate) > 0) || Number(rate) > HIGHEST) continue;
    for (let i = 0; i < Number(times) && steps.length < MOST_STEPS; i += 1)
      steps.push({ optimizer, rate: Number(rate) });
  }
  return steps;
}

export function stepsAsText(steps) {
  const parts = [];
  for (const { optimizer, rate } of steps) {
    const name = `${optimizer}:${rate}`;
    const last = parts.at(-1);
    if (last?.name === name) last.times += 1;
    else parts.push({ name, times: 1 });
  }
  return parts.map(({ name, times }) => (times > 1 ? `${name}x${times}` : name)).join(",");
}

/** A short sign for a question: steps belong to the sentence and the word that they were taken on. */
export function signOf({ model, text, hidden, target }) {
  const whole = JSON.stringify([model, text, hidden, Object.entries(target).sort()]);
  let sum = 2166136261;
  for (const letter of whole) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619) >>> 0;
  return sum.toString(36);
}

const DECADES = 5; // 10⁻⁵ to 1
/** A rate for a place of the slider, 0 to 100, with two digits; and back. */
export const rateAt = (place) => Number((10 ** ((place / 100) * DECADES - DECADES)).toPrecision(2));
export const placeOf = (rate) => Math.round((100 * (Math.log10(rate) + DECADES)) / DECADES);
