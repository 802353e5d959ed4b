// The live check beside a gradient: the same slope by the chain rule, and by moving the number a little.

import { clear, counted, h, num } from "../dom.js";
import { inOneLine } from "../problem_words.js";
import { isGone } from "../source.js";
import { digitsAgreed, markedNumber } from "./digits.js";

/** update({question, name, of, index}): of an index null nothing is shown. */
export function slopeCheck(host, page) {
  const element = h("section", { class: "slope-check", "data-test": "check", hidden: true, "aria-live": "polite" });
  host.append(element);
  let asking = null;

  async function update({ question, name, of, index }) {
    asking?.abort();
    element.hidden = !index;
    if (!index) return clear(element);
    const { signal } = (asking = new AbortController());
    element.classList.add("waiting");
    if (!element.firstChild) clear(element, h("p", { class: "note" }, "Moving the number a little to both sides …"));
    try {
      const found = await page.ask("slope", { question, name, of, index }, { signal });
      if (!signal.aborted) draw(found);
    } catch (error) {
      if (!isGone(error)) clear(element, h("p", { class: "note" }, inOneLine(error)));
    }
    if (!signal.aborted) element.classList.remove("waiting");
  }

  function draw(found) {
    const agreed = digitsAgreed(found.value, found.numeric);
    clear(
      element,
      h("h3", {}, "Is it right?"),
      h("p", {}, h("code", {}, found.label)),
      h(
        "table",
        {},
        row("by the chain rule", markedNumber(found.value, agreed, { "data-test": "analytic" })),
        row("by moving it a little", markedNumber(found.numeric, agreed, { "data-test": "numeric" })),
      ),
      h(
        "p",
        {
          class: found.agrees ? "good verdict" : "bad verdict",
          "data-test": "verdict",
          "data-agrees": String(found.agrees),
          "data-digits": agreed,
        },
        verdict(found, agreed),
      ),
      h(
        "p",
        { class: "note" },
        "The second was found without any calculus: the number was moved by ",
        h("span", { class: "number", "data-test": "step", "data-value": found.step }, `h = ±${num(found.step, 1)}`),
        " and by half of that, the whole model was run again each time, and the loss was watched: ",
        h("i", {}, "[L(x + h) − L(x − h)] / 2h"),
        ", both steps combined so that their errors cancel. All in double precision.",
      ),
    );
  }

  return { update, close: () => asking?.abort() };
}

function verdict({ agrees, rounding }, agreed) {
  if (!agrees)
    return (
      `✗ Only ${counted(agreed, "digit")} agree: at a kink, like that of ReLU, the slope differs from side ` +
      "to side."
    );
  if (agreed < 4)
    return `✓ The same as far as rounding lets us see (±${num(rounding, 1)}): this number hardly matters to the loss.`;
  return `✓ They agree in ${counted(agreed, "digit")}.`;
}

const row = (label, number) =>
  h("tr", {}, h("th", { scope: "row" }, label), h("td", { class: "number slope-number" }, number));
