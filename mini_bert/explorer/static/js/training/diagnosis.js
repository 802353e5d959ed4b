// What the diagnosis says of a run, as cards that can be read.

import { clear, h, num, shown, whole } from "../dom.js";

/** `onExamine()` is called when the last checkpoint shall be looked into as well. */
export function diagnosisPanel(host, { onExamine }) {
  const body = h("div", { class: "stack" });
  const examine = h(
    "button",
    { type: "button", class: "button", "data-test": "examine", onclick: () => onExamine() },
    "Look into the last checkpoint too",
  );
  const element = h("section", { class: "panel", "data-test": "diagnosis" }, h("h2", {}, "Is it healthy?"), body);
  host.append(element);

  return {
    element,
    /** `thorough`: "no", "busy" or "yes"; `possible`: whether there is a checkpoint to look into */
    update(found, { thorough = "no", possible = true } = {}) {
      const isOpen = body.querySelector("details")?.open ?? false;
      examine.disabled = thorough === "busy";
      examine.textContent = thorough === "busy" ? "Looking …" : "Look into the last checkpoint too";
      clear(
        body,
        verdict(found),
        found.causes.map((cause, i) => causeCard(cause, i)),
        found.figures.length > 0 && figures(found.figures, isOpen),
        found.notes.map((note) => h("p", { class: "note" }, note)),
        possible &&
          thorough !== "yes" &&
          h(
            "div",
            { class: "row" },
            examine,
            h("span", { class: "note" }, "Recomputes a few of its steps on its own text; it takes some seconds."),
          ),
        found.opened && h("p", { class: "note" }, "The last checkpoint was looked into as well."),
      );
    },
  };
}

function verdict(found) {
  if (found.reason) return h("p", { class: "note" }, found.reason);
  if (found.healthy && found.early) {
    return h("p", {}, `Too early to judge: after ${whole(found.steps)} steps hardly anything could be wrong yet.`);
  }
  if (found.healthy) {
    return h(
      "p",
      { class: "training-verdict training-good", "data-test": "healthy" },
      h("strong", {}, "Healthy. "),
      `Nothing in ${whole(found.steps)} steps is out of the ordinary.`,
    );
  }
  return h(
    "p",
    { class: "training-verdict training-bad", "data-test": "unhealthy" },
    "Something is out of the ordinary:",
  );
}

function causeCard(cause, i) {
  return h(
    "article",
    { class: i ? "training-cause training-lesser" : "training-cause", "data-test": "cause", "data-cause": cause.cause },
    h("h3", {}, cause.title, i > 0 && h("small", { class: "note" }, " less likely, or a consequence")),
    h("p", {}, cause.meaning),
    h(
      "ul",
      {},
      cause.evidence.map((one) =>
        h(
          "li",
          {},
          `${one.title}: `,
          shown(one.value),
          one.step ? ` at step ${whole(one.step)}` : "",
          one.where ? `, ${one.where}` : "",
          `; sound: ${inWords(one.low, one.high)}`,
        ),
      ),
    ),
    h("p", { class: "training-remedy" }, h("strong", {}, "What to do: "), cause.remedy),
  );
}

function inWords(low, high) {
  const known = (x) => x !== null && Number.isFinite(x);
  if (known(low) && known(high)) return `${num(low)} to ${num(high)}`;
  return known(high) ? `at most ${num(high)}` : `at least ${num(low)}`;
}

function figures(all, open) {
  return h(
    "details",
    { open },
    h("summary", {}, "All figures, beside where those of sound runs lie"),
    h(
      "div",
      { class: "scroll-x" },
      h(
        "table",
        { class: "training-figures" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["figure", "this run", "sound runs", "step"].map((name) => h("th", {}, name)),
          ),
        ),
        h(
          "tbody",
          {},
          all.map((one) =>
            h(
              "tr",
              { class: one.inside ? null : "training-outside" },
              h("td", {}, one.title, one.where ? h("small", { class: "note" }, ` ${one.where}`) : ""),
              h("td", {}, shown(one.value)),
              h("td", {}, one.low === null ? "–" : inWords(one.low, one.high)),
              h("td", {}, one.step ? whole(one.step) : ""),
            ),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "note" },
      "The bands were measured on short sound runs; a figure outside of one is no fault by itself, as long runs " +
        "go further.",
    ),
  );
}
