// Which word shall stand at the hidden place: the true one, one of the model's guesses, or any that is typed.

import { clear, h, percent } from "../dom.js";
import { isSpecial } from "../pieces.js";
import { inOneLine } from "../problem_words.js";
import { isGone } from "../source.js";

/** update({asked, question, note}) as the answers "backward" and "learn" tell them. */
export function targetPicker(host, page) {
  const element = h("div", { class: "targets" });
  host.append(element);
  let told = null;

  function update(answer) {
    told = answer;
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const typed = element.querySelector("input:focus")?.value;
    clear(
      element,
      answer.asked.slice(0, 4).map(place),
      answer.asked.length > 4 && h("p", { class: "note" }, `and ${answer.asked.length - 4} more places`),
      answer.note && h("p", { class: "note", "data-test": "note" }, answer.note),
    );
    const again = focused && element.querySelector(`[data-key="${focused}"]`);
    if (again && typed !== undefined) again.value = typed;
    again?.focus();
  }

  function place(one) {
    const chips = offered(one).map((word, i) =>
      h(
        "button",
        {
          type: "button",
          class: "chip",
          "data-test": "target",
          "data-key": `${one.place}.${i}`,
          "aria-pressed": String(word.token === one.answer.token),
          onclick: () => choose(one, word.token),
        },
        word.word,
        word.probability !== undefined && h("small", { class: "number" }, percent(word.probability)),
        word.isTrue && h("small", {}, "stood there"),
      ),
    );
    const problem = h("small", { class: "bad", role: "status" });
    const box = h("input", {
      type: "text",
      size: 12,
      maxlength: 40,
      placeholder: "another word",
      "aria-label": `another word for place ${one.place}`,
      "data-test": "target-word",
      "data-key": `${one.place}.typed`,
      onkeydown: (event) => event.key === "Enter" && type(one, box, problem),
      onchange: () => type(one, box, problem),
    });
    return h(
      "div",
      { class: "row target-row", role: "group", "aria-label": `the word for place ${one.place}` },
      h("span", { class: "target-label" }, "What should stand at place ", h("b", {}, one.place), "?"),
      chips,
      box,
      problem,
    );
  }

  function choose(one, token) {
    const { hidden, target } = told.question;
    const others = Object.fromEntries(Object.entries(target).filter(([key]) => Number(key) !== one.place));
    const isHidden = hidden.includes(one.place);
    page.set({ hidden, target: isHidden && token === one.original ? others : { ...others, [one.place]: token } });
  }

  /** A typed word is looked up before it is taken: one that the vocabulary cuts is no single piece. */
  async function type(one, box, problem) {
    const word = box.value.trim();
    if (!word || word === one.answer.token) return;
    try {
      const { pieces } = await page.ask("words", {
        question: { model: told.question.model, text: word, hidden: [], target: {}, edits: [] },
      });
      const found = pieces.map((each) => each.piece).filter((piece) => !isSpecial(piece));
      if (found.length !== 1) {
        problem.textContent = `“${word}” is cut into ${found.join(" + ") || "nothing"}; choose a word of one piece.`;
        return;
      }
      box.value = "";
      choose(one, found[0]);
    } catch (error) {
      if (!isGone(error)) problem.textContent = inOneLine(error);
    }
  }

  return { update };
}

/** The true word, the chosen one, and the model's best guesses; each once. */
function offered({ original, answer, guesses }) {
  const words = new Map();
  if (original && original !== "[MASK]" && original !== "<mask>") {
    words.set(original, { token: original, word: original.replace(/^##/, "…"), isTrue: true });
  }
  words.set(answer.token, { ...answer, ...words.get(answer.token) });
  for (const guess of guesses.slice(0, 6)) words.set(guess.token, { ...words.get(guess.token), ...guess });
  return [...words.values()];
}
