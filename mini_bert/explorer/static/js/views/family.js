// Family: the members by year, and one of them beside the present model: parts, equations, shapes, weights.

import { clear, h, large } from "../dom.js";
import { cardRow } from "../family/cards.js";
import { diagram } from "../family/diagram.js";
import { legend, stepsOf, summaryOf, termsOf } from "../family/summary.js";
import { changesTable, settingsTable } from "../family/tables.js";
import { weightBars } from "../family/weights.js";
import { wordsPanel } from "../family/words.js";
import { onTheme } from "../draw/colours.js";
import { inOneLine } from "../problem_words.js";
import { isGone } from "../source.js";

export const title = "Family";
export const hint =
  "Choose a relative of BERT. What it does otherwise than the model beside it is marked; the shapes are those " +
  "of your sentence.";

export function mount(root, page) {
  const pickers = h("div", { class: "row" });
  const tree = h("section", { class: "panel" }, h("h2", {}, "Who came when, and what each one changed"));
  const cards = cardRow(tree, { onPick: (card) => page.set({ "family.member": card.preset }) });
  const size = h("select", {
    id: "family-size",
    "data-test": "family-size",
    onchange: () => page.set({ "family.member": size.value }),
  });
  const beside = h("select", {
    id: "family-beside",
    "data-test": "family-beside",
    onchange: () => page.set({ "family.beside": beside.value }),
  });
  const summary = h("div", { class: "family-summary" });
  const diagrams = h("div", { class: "family-sides" });
  const choice = h("section", { class: "panel" }, pickers, summary);
  pickers.append(
    h("label", { for: "family-size" }, "Size"),
    size,
    h("label", { for: "family-beside" }, "beside"),
    beside,
  );
  const only = h("input", {
    type: "checkbox",
    id: "family-only",
    onchange: () => page.set({ "family.all": only.checked ? null : "yes" }, { replace: true }),
  });
  const steps = h("div");
  const settings = h("div");
  const weights = h("div");
  const code = h("div");
  const rest = h("div", { class: "stack" });
  root.append(h("div", { class: "stack" }, tree, choice, rest));
  rest.append(
    h("section", { class: "panel" }, h("h2", {}, "Their parts"), legend(), diagrams),
    h(
      "section",
      { class: "panel" },
      h("h2", {}, "What they compute for your sentence"),
      h("div", { class: "row" }, only, h("label", { for: "family-only" }, "only where their equations differ")),
      steps,
    ),
    h("section", { class: "panel" }, h("h2", {}, "In words"), settings),
    h("section", { class: "panel" }, h("h2", {}, "Where their weights are"), weights),
    h(
      "section",
      { class: "panel" },
      h("details", {}, h("summary", {}, "The parts that differ, by their names in the code"), code),
    ),
  );
  const words = wordsPanel(rest);
  let family = null; // {model, answer}
  let shown = null;
  const controllers = {};

  const renewed = (name) => {
    controllers[name]?.abort();
    controllers[name] = new AbortController();
    return controllers[name].signal;
  };
  const bare = () => ({ model: page.question().model, text: "", hidden: [], target: {}, edits: [] });

  async function update(now) {
    controllers.family?.abort(); // also one for a model that was chosen and taken back
    try {
      if (family?.model !== now.model) {
        const answer = await page.ask("family", { question: bare() }, { signal: renewed("family") });
        family = { model: now.model, answer };
      }
      const member = chosenMember(now);
      const card = cardOf(member);
      cards.update(family.answer.members, card?.name);
      fillPickers(now, card, member);
      only.checked = !now["family.all"];
      await Promise.all([compare(now, member), read(now)]);
    } catch (error) {
      if (!isGone(error)) page.problem(error);
    }
  }

  const cardOf = (preset) => family.answer.members.find((one) => one.presets.includes(preset));

  /** By default the first that is not of the kind of the present model. */
  function chosenMember(now) {
    const known = family.answer.members.flatMap((one) => one.presets);
    if (known.includes(now["family.member"])) return now["family.member"];
    const other = family.answer.members.find((one) => one.name === "bert" && one.name !== family.answer.chosen);
    return (other ?? family.answer.members[0]).preset;
  }

  function fillPickers(now, card, member) {
    clear(
      size,
      card.presets.map((name) => h("option", { value: name }, name)),
    );
    size.value = member;
    const { members } = family.answer;
    const parent = members.find((one) => one.name === card.parent);
    const option = (name, told) => h("option", { value: name }, told);
    clear(
      beside,
      option("", `the model here, ${page.model()?.name ?? "as chosen"}`),
      parent && option(parent.preset, `its parent, ${parent.preset}`),
      h(
        "optgroup",
        { label: "any other" },
        members
          .flatMap((one) => one.presets)
          .filter((name) => name !== parent?.preset)
          .map((name) => option(name, name)),
      ),
    );
    beside.value = now["family.beside"] ?? "";
    if (beside.selectedIndex < 0) beside.value = "";
  }

  async function compare(now, member) {
    const question = { ...page.question(), hidden: [], target: {}, edits: [] };
    const body = { question, member, beside: beside.value };
    shown = { answer: await page.ask("family_member", body, { signal: renewed("member") }), member };
    draw(now);
  }

  function draw(now) {
    const { answer, member } = shown;
    const names = answer.sides.map((side) => side.name);
    const labels = names[0] === names[1] ? [`${names[0]} (here)`, `${names[1]} (preset)`] : names;
    const sides = answer.sides.map((side, i) => ({ ...side, name: labels[i] }));
    clear(summary, summaryOf(answer, sides, cardOf(member)));
    clear(
      diagrams,
      sides.map((side) =>
        h(
          "figure",
          {},
          h(
            "figcaption",
            {},
            h("strong", {}, side.name),
            h("span", { class: "note" }, ` ${large(side.parameters)} weights`),
          ),
          diagram(side),
        ),
      ),
    );
    clear(steps, stepsOf(answer, labels, !now["family.all"]), termsOf(sides));
    clear(settings, settingsTable(answer.settings, labels));
    clear(weights, weightBars(sides, answer.parts));
    clear(
      code,
      answer.changes.length
        ? changesTable(answer.changes, labels)
        : h("p", { class: "note" }, "None: they differ in sizes only."),
    );
  }

  async function read(now) {
    const models = page.models().map((one) => one.name);
    const signal = renewed("words");
    const question = { ...page.question(), edits: [] };
    const answers = await Promise.all(
      models.map((model) =>
        page.ask("family_words", { question, model, top: 4 }, { signal }).catch((error) => {
          if (isGone(error)) throw error;
          return { model, problem: inOneLine(error) };
        }),
      ),
    );
    if (now === page.state()) words.update(answers);
  }

  const stop = onTheme(() => shown && draw(page.state()));
  return {
    update,
    unmount() {
      stop();
      for (const one of Object.values(controllers)) one?.abort();
    },
  };
}
