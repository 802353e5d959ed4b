// The head of the view: which run, how far it is, and its facts.

import { clear, h, large, num, percent, whole } from "../dom.js";
import { date, duration, STATES } from "./words.js";

/** `onPick(id)`: another run was chosen. */
export function overview(host, { onPick }) {
  const picker = h("select", { id: "training-run", "data-test": "run-picker", onchange: () => onPick(picker.value) });
  const state = h("span", { class: "chip", "data-test": "run-state" });
  const verdict = h("p", { class: "training-told", "data-test": "run-verdict" });
  const progress = h("progress", { max: 1 });
  const eta = h("span", { class: "note number", "data-test": "run-eta" });
  const going = h("div", { class: "row training-going" }, progress, eta);
  const facts = h("dl", { class: "training-facts" });
  const element = h(
    "section",
    { class: "panel" },
    h("div", { class: "row" }, h("label", { for: "training-run" }, "Run"), picker, state),
    verdict,
    going,
    facts,
  );
  host.append(element);

  return {
    element,
    list(runs) {
      clear(
        picker,
        runs.map((one) => h("option", { value: one.id }, label(one))),
      );
    },
    choose(id) {
      picker.value = id;
    },
    /** With an answer to “run”. */
    update(answer) {
      const { run } = answer;
      clear(state, STATES[run.state] ?? run.state);
      state.className = `chip training-${run.state.replace(" ", "-")}`;
      clear(verdict, answer.verdict.text);
      verdict.className = `training-told training-${answer.verdict.tone}`;
      going.hidden = answer.share === null || run.state === "finished";
      progress.value = answer.share ?? 0;
      clear(
        eta,
        `${percent(Math.min(1, answer.share ?? 0))} of ${answer.budget}`,
        answer.seconds_left !== null && ` · about ${duration(answer.seconds_left)} left`,
      );
      clear(facts, factsOf(answer));
    },
  };
}

function label(one) {
  const told = one.held_out_loss === null ? "" : `, held-out loss ${num(one.held_out_loss, 3)}`;
  const whose = one.of_model ? " (this model's own)" : "";
  return `${one.name}${whose}: ${one.model}, ${whole(one.steps)} steps${told}`;
}

function factsOf({ run, facts, tokens }) {
  const rows = [
    ["model", run.model],
    ["weights", facts.parameters && large(facts.parameters)],
    ["text", run.corpus],
    ["steps", whole(run.steps)],
    ["tokens read", tokens && large(tokens)],
    ["time", run.seconds ? duration(run.seconds) : null],
    ["loss", run.loss === null ? null : num(run.loss, 4)],
    ["held-out loss", run.held_out_loss === null ? null : num(run.held_out_loss, 4)],
    ["words found", run.held_out_accuracy === null ? null : percent(run.held_out_accuracy)],
    ["last written", date(run.date)],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value)));
}
