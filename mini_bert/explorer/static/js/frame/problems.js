// One bar that tells what is wrong and what to do. It goes when the next answer after a change is sound.

import { clear, h } from "../dom.js";
import { inSentences } from "../problem_words.js";
import { isGone, onAnswer, Problem } from "../source.js";

export function problems(host) {
  let stale = false;

  function show(error) {
    if (!error || isGone(error)) return;
    stale = false;
    if (!(error instanceof Problem)) console.error(error);
    clear(
      host,
      h(
        "div",
        { class: "problem", "data-test": "problem" },
        told(error),
        h("button", { type: "button", class: "button quiet", "aria-label": "Close this message", onclick: hide }, "×"),
      ),
    );
  }

  function hide() {
    clear(host);
  }

  onAnswer(({ milliseconds }) => {
    if (milliseconds !== undefined && stale) hide();
  });

  return { show, hide, changed: () => (stale = true) };
}

export function told(error) {
  const { what, remedy } = inSentences(error);
  return h("p", {}, h("strong", {}, what), remedy && ` ${remedy}`);
}
