// One number: the very sum that made it, its largest terms as bars, each factor a link to where it comes from.

import { clear, counted, h, num, shown } from "../dom.js";
import { bars } from "../draw/bars.js";
import { math } from "../math.js";
import { inOneLine } from "../problem_words.js";
import { isGone } from "../source.js";

/**
 * options: name, of, index (into the whole array), onJump(name, of, index), question (if it is not the page's),
 * check (false: a gradient is not checked by finite differences). Without an index it says what to do.
 */
export function cellPanel(host, page, options) {
  const element = h("section", { class: "cell-panel", "data-test": "cell-panel", "aria-live": "polite" });
  host.append(element);
  let [all, flight] = [{}, null];

  async function update(changes) {
    all = { ...all, ...changes };
    flight?.abort();
    flight = new AbortController();
    const { signal } = flight;
    if (!all.index) return invite();
    const body = { question: all.question ?? page.question(), name: all.name, of: all.of ?? "value", index: all.index };
    try {
      const story = await page.ask("cell", body, { signal });
      if (signal.aborted) return;
      draw(story);
      if (body.of.includes("gradient") && all.check !== false) await check(body, signal);
    } catch (error) {
      if (!isGone(error)) page.problem(error);
    }
  }

  function invite() {
    clear(element, h("p", { class: "note" }, "Choose a cell of the map to see the very sum that made it."));
    element.dataset.cell = "";
  }

  function draw(story) {
    element.dataset.cell = story.index.join(",");
    clear(
      element,
      h(
        "h3",
        { class: "cell-title" },
        h("code", { "data-test": "cell-label" }, story.label),
        " = ",
        shown(story.value, 4, { "data-test": "cell-value" }),
      ),
      h("p", { class: "note" }, whereTold(story)),
      story.mathml &&
        h("div", { class: "equation scroll-x", "data-test": "cell-equation" }, math(story.mathml, { display: true })),
      story.note && h("p", {}, story.note),
      story.terms.length > 0 && sum(story),
      story.parts.length > 1 && parts(story),
      story.asides.map(aside),
      story.of.includes("gradient") && h("div", { class: "cell-check", "data-test": "slope" }),
    );
  }

  /** All terms: those that are told, the others together, and what they make. */
  function sum(story) {
    const count = story.terms.length + story.others;
    const told = `a sum of ${counted(count, "term")}${story.others ? `; the ${story.terms.length} largest` : ""}:`;
    const box = h("div", { class: "cell-sum" }, count > 1 && h("p", { class: "note" }, told));
    const rest = story.others ? [{ value: story.rest }] : [];
    const others = () => h("span", { class: "note" }, `${counted(story.others, "other")} together`);
    bars(box, {
      labels: [...story.terms.map(factors), ...rest.map(others)],
      values: [...story.terms, ...rest].map((term) => term.value),
      format: (x) => num(x, 4),
      label: "terms of the sum",
      test: "term",
    });
    return box;
  }

  /** The factors of a term, each with its number; those that are cells lead there. */
  function factors(term) {
    return h(
      "span",
      { class: "factors" },
      term.factors.flatMap((factor, i) => [i > 0 && h("span", { "aria-label": "times" }, "·"), factorOf(factor)]),
    );
  }

  function factorOf({ label, value, name, of, index }) {
    const inside = [h("code", {}, label), shown(value, 3, { class: "factor-value number" })];
    if (!name || !all.onJump) return h("span", { class: "factor" }, inside);
    return h(
      "button",
      {
        type: "button",
        class: "factor factor-link",
        title: `${label} = ${value}: go there`,
        "data-test": "factor",
        "data-name": name,
        "data-of": of,
        "data-index": index.join(","),
        onclick: () => all.onJump(name, of, index),
      },
      inside,
    );
  }

  /** A number that terms share, like a mean. */
  function aside(one) {
    const how = one.equation !== "Σ" && h("span", { class: "note" }, ` = ${one.equation}`);
    return h(
      "details",
      { class: "cell-aside" },
      h("summary", {}, h("code", {}, one.label), " = ", shown(one.value, 4), how),
      sum(one),
    );
  }

  /** The same gradient by the operations that it came through. */
  function parts(story) {
    const told = "It was read more than once; so much comes back through each:";
    const box = h("div", { class: "cell-sum" }, h("p", { class: "note" }, told));
    bars(box, {
      labels: story.parts.map((part) => part.name),
      values: story.parts.map((part) => part.value),
      format: (x) => num(x, 4),
      test: "part",
    });
    return box;
  }

  async function check(body, signal) {
    const place = element.querySelector(".cell-check");
    if (!place) return;
    clear(place, h("p", { class: "note" }, "Moving the number a little to both sides …"));
    let found;
    try {
      found = await page.ask("slope", body, { signal });
    } catch (error) {
      if (!isGone(error)) clear(place, h("p", { class: "note" }, inOneLine(error)));
      return;
    }
    if (signal.aborted) return;
    const line = (how, value, test) =>
      h("tr", {}, h("th", {}, how), h("td", { class: "number" }, shown(value, 6, { "data-test": test })));
    const mark = { class: found.agrees ? "good" : "bad", "data-test": "slope-agrees", "data-value": found.agrees };
    clear(
      place,
      h("h4", {}, "Is it right? Move the number a little, and see how the loss moves"),
      h(
        "table",
        {},
        line("by the chain rule", found.value, "slope-analytic"),
        line(`by steps of ±${num(found.step, 1)}`, found.numeric, "slope-numeric"),
      ),
      h("p", mark, verdict(found)),
    );
  }

  update(options);
  return {
    element,
    update,
    unmount() {
      flight?.abort();
      element.remove();
    },
  };
}

function verdict({ agrees, value, numeric, rounding }) {
  if (!agrees) return "✗ They differ: at a kink of the function the slope is not the same on both sides.";
  const close = Math.abs(value - numeric) <= 1e-4 * Math.max(Math.abs(value), Math.abs(numeric));
  return close ? "✓ The same to four digits." : `✓ The same as far as rounding lets us see (±${num(rounding, 1)}).`;
}

/** piece “cat” (place 2), head 1, number 5 */
function whereTold({ where }) {
  return where
    .map(({ kind, title, at, label }) => {
      if (kind === "piece" || kind === "key") return `${title} “${label}” (place ${at})`;
      if (kind === "word") return `word “${label}”`;
      if (kind !== "head" && label.startsWith("head ")) return `${title} ${at} (${label})`;
      return label === String(at) ? `${title} ${at}` : label;
    })
    .join(", ");
}
