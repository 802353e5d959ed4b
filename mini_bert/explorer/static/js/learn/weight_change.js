// One weight before, after, and the difference: the rows that moved most.

import { clear, h, num, shape } from "../dom.js";
import { heatmap } from "../draw/heatmap.js";
import { isGone } from "../source.js";

const WAYS = { difference: "what changed", before: "before", after: "after" };

export function weightChange(host, page) {
  const choose = h("select", {
    "aria-label": "weight",
    "data-test": "weight-select",
    onchange: () => page.set({ "learn.weight": choose.value }),
  });
  const ways = h("span", { class: "row", role: "group", "aria-label": "what to show" });
  const box = h("div");
  const told = h("p", { class: "note" });
  host.append(h("div", { class: "row" }, choose, ways), box, told);
  let map = null;
  let asking = null;

  async function update({ question, steps, weights }) {
    const state = page.state();
    const ordered = [...weights].sort((a, b) => b.moved / (b.size || 1) - a.moved / (a.size || 1));
    const matrices = (steps.length ? ordered : weights).filter((one) => one.shape.length > 1);
    const name =
      weights.find((one) => one.name === state["learn.weight"])?.name ?? matrices[0]?.name ?? weights[0].name;
    const usual = steps.length ? "difference" : "before";
    const way = Object.hasOwn(WAYS, state["learn.show"]) ? state["learn.show"] : usual;
    if (document.activeElement !== choose) {
      clear(
        choose,
        weights.map((one) => h("option", { value: one.name }, `${one.name}   ${shape(one.shape)}`)),
      );
      choose.value = name;
    }
    clear(
      ways,
      Object.entries(WAYS).map(([key, label]) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "data-test": `show-${key}`,
            "aria-pressed": String(key === way),
            onclick: () => page.set({ "learn.show": key }),
          },
          label,
        ),
      ),
    );
    asking?.abort();
    const { signal } = (asking = new AbortController());
    try {
      const found = await page.ask("change", { question, steps, name }, { signal });
      if (!signal.aborted) draw(found, way, steps.length);
    } catch (error) {
      if (!isGone(error)) page.problem(error);
    }
  }

  function draw(found, way, taken) {
    const options = {
      tensor: found[way],
      scale: "signed",
      rowLabels: found.labels ?? found.rows.map(String),
      label: `${found.name}, ${WAYS[way]}`,
      format: (value) => num(value, 4),
    };
    if (map) map.update(options);
    else map = heatmap(box, options);
    told.textContent = taken
      ? `The ${found.rows.length} rows of ${found.name} that moved most.`
      : `Nothing has moved yet: these are rows of ${found.name} as they were trained.`;
  }

  return {
    update,
    close() {
      asking?.abort();
      map?.destroy();
    },
  };
}
