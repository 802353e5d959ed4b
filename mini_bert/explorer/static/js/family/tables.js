// Tables of two models side by side; rows in which they differ stand out.

import { h, shape, whole } from "../dom.js";
import { math } from "../math.js";

/** What both are, in words. */
export function settingsTable(settings, names) {
  return h(
    "div",
    { class: "scroll-x" },
    h(
      "table",
      { class: "family-table", "data-test": "settings" },
      head(["", ...names]),
      h(
        "tbody",
        {},
        settings.map(({ name, values, differs }) =>
          h(
            "tr",
            {
              class: differs ? "family-row-differs" : null,
              "data-test": "setting",
              "data-name": name,
              "data-differs": String(differs),
            },
            h("th", { scope: "row" }, name),
            values.map((value) => h("td", {}, value)),
          ),
        ),
      ),
    ),
  );
}

/** Every step of a layer: its equation and its shape in both. */
export function stepsTable(steps, names, { onlyDiffering }) {
  const groups = [...new Set(steps.map((one) => one.group))];
  const isShown = (one) => !onlyDiffering || one.differs;
  return h(
    "div",
    { class: "family-steps", "data-test": "steps" },
    groups
      .map((group) => [group, steps.filter((one) => one.group === group && isShown(one))])
      .filter(([, rows]) => rows.length)
      .map(([group, rows]) =>
        h(
          "section",
          {},
          h("h3", {}, group),
          rows.map((one) =>
            h(
              "div",
              {
                class: one.differs ? "family-step family-row-differs" : "family-step",
                "data-test": "family-step",
                "data-key": one.key,
                "data-differs": String(one.differs),
              },
              h("div", { class: "family-step-name" }, one.name),
              one.sides.map((side, i) => stepSide(side, names[i], one)),
            ),
          ),
        ),
      ),
  );
}

function stepSide(side, name, { size_differs: sized }) {
  if (!side)
    return h(
      "div",
      { class: "family-step-side note" },
      h("small", { class: "family-whose" }, name),
      "has no such step",
    );
  return h(
    "div",
    { class: "family-step-side" },
    h("small", { class: "family-whose" }, name),
    h("div", { class: "family-equation" }, math(side.math)),
    h(
      "div",
      { class: sized ? "note number family-size" : "note number", "data-value": side.shape.join(",") },
      `${side.letters.slice(1).join(" × ")} = ${shape(side.shape.slice(1))}`,
    ),
  );
}

/** The very parts that differ, by the names they have in the code. */
export function changesTable(changes, names) {
  return h(
    "div",
    { class: "scroll-x" },
    h(
      "table",
      { class: "family-table" },
      head(["part", ...names]),
      h(
        "tbody",
        {},
        changes.map((one) =>
          h(
            "tr",
            {},
            h(
              "td",
              {},
              one.places.map((place) => h("div", {}, h("code", {}, place))),
            ),
            h("td", {}, h("code", {}, one.before)),
            h("td", {}, h("code", {}, one.after)),
          ),
        ),
      ),
    ),
  );
}

const head = (names) =>
  h(
    "thead",
    {},
    h(
      "tr",
      {},
      names.map((name) => h("th", { scope: "col" }, name)),
    ),
  );

/** 12,345,678 */
export const exactly = (n) => h("span", { class: "number", "data-value": n }, whole(n));
