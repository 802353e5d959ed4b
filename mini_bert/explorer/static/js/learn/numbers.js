// Loss and probability in large letters, and what is to be said of them.

import { clear, counted, h, num, percent } from "../dom.js";

export const meanOf = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

export function drawNumbers(host, answer) {
  const { losses, asked, taken, burst } = answer;
  const [first, now] = [losses[0], losses.at(-1)];
  const p = (i) => meanOf(answer.answer_p.at(i).data);
  const word = asked.length > 1 ? "the words" : `“${asked[0].answer.word}”`;
  clear(
    host,
    big("loss", num(first, 4), num(now, 4), now, "loss"),
    big(`p of ${word}`, percent(p(0)), percent(p(taken)), p(taken), "probability"),
    h(
      "p",
      {
        class: `learn-verdict ${burst || now > first ? "bad" : "note"}`,
        "data-test": "learn-verdict",
        "aria-live": "polite",
      },
      verdict(answer, first, now, p(taken)),
    ),
  );
}

function verdict({ taken, burst, losses, others }, first, now, p) {
  if (burst)
    return (
      `After ${counted(taken, "step")} the loss is no number any more: the steps were far too large. Undo, ` +
      "and choose a smaller rate."
    );
  if (!taken) return "The model as it was trained. Take a step.";
  if (now > first) return "The loss is above where it began: the steps overshoot. Undo, and choose a smaller rate.";
  if (taken > 1 && now > losses.at(-2))
    return "The last step made it worse: it overshot. Undo, or choose a smaller rate.";
  const kept = others.length ? meanOf(others.map((one) => one.overlap)) : 1;
  const learned = p > 0.5 ? "It has learned the word, and paid for it" : "The word rises, and that has a price";
  if (kept < 0.5) return `${learned}: of what it believed about other sentences, ${percent(kept)} is left.`;
  if (p > 0.9) return "It has learned the word. See below what that changed elsewhere.";
  return `${counted(taken, "step")} taken: each one moved the weights a little against the gradient.`;
}

const big = (label, before, now, value, test) =>
  h(
    "div",
    { class: "big" },
    h("span", { class: "note" }, label),
    h("b", { class: "number", "data-test": `learn-${test}`, "data-value": value }, now),
    h("span", { class: "note number" }, `at the start ${before}`),
  );
