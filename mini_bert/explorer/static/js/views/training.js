// Training: curves of a run, live while it goes on, whether it is healthy, and how the sentence was learned.

import { clear, h, large, num, percent, whole } from "../dom.js";
import { isGone } from "../source.js";
import { coursePanel } from "../training/course.js";
import { diagnosisPanel } from "../training/diagnosis.js";
import { joined, panelGrid } from "../training/panels.js";
import { probePanel } from "../training/probe.js";
import { bare, date, duration, STATES } from "../training/words.js";

const EVERY = 2000; // milliseconds between two looks at a running run

export const title = "Training";
export const hint =
  "Choose a run: its curves, what is sound in them, and below, how it came to read your sentence as it does now. A run that goes on is followed live.";

export function mount(root, page) {
  const picker = h("select", {
    id: "training-run",
    "data-test": "run-picker",
    onchange: () => page.set({ "training.run": picker.value, "training.step": null }),
  });
  const state = h("span", { class: "chip", "data-test": "run-state" });
  const verdict = h("p", { class: "training-told", "data-test": "run-verdict" });
  const progress = h("progress", { max: 1 });
  const eta = h("span", { class: "note number", "data-test": "run-eta" });
  const going = h("div", { class: "row training-going" }, progress, eta);
  const facts = h("dl", { class: "training-facts" });
  const top = h(
    "section",
    { class: "panel" },
    h("div", { class: "row" }, h("label", { for: "training-run" }, "Run"), picker, state),
    verdict,
    going,
    facts,
  );
  const empty = h("section", { class: "panel", hidden: true, "data-test": "no-runs" });
  const rest = h("div", { class: "stack" });
  root.append(h("div", { class: "stack" }, empty, top, rest));
  const diagnosis = diagnosisPanel(rest, { onExamine: examine });
  const grid = panelGrid(rest);
  const course = coursePanel(rest, { onChange: chosen });
  const probes = probePanel(rest, { onStart: probeAll });

  let listed = null; // {model, runs}
  let run = null; // {id, panels, last, lines, answer}
  let asked = ""; // what the course was asked last
  let timer = null;
  const controllers = { runs: null, run: null, course: null, probe: null };

  const renewed = (name) => {
    controllers[name]?.abort();
    controllers[name] = new AbortController();
    return controllers[name].signal;
  };
  const question = () => bare(page.question());
  const troubled = (error) => {
    if (!isGone(error)) page.problem(error);
  };

  async function update(now) {
    try {
      if (!listed || listed.model !== now.model) await list(now);
      const id = wanted(now);
      if (id === null) return;
      if (run?.id !== id) await load(id);
      await follow(page.state());
    } catch (error) {
      if (page.isFile && !isGone(error)) showEmpty(notSaved());
      else troubled(error);
    }
  }

  function showEmpty(told) {
    empty.hidden = !told;
    top.hidden = Boolean(told);
    rest.hidden = Boolean(told);
    if (told) clear(empty, told);
  }

  async function list(now) {
    const { runs } = await page.ask("runs", { question: question() }, { signal: renewed("runs"), fresh: !page.isFile });
    listed = { model: now.model, runs };
    clear(picker, runs.map((one) => h("option", { value: one.id }, label(one))));
    showEmpty(runs.length ? null : nothing());
  }

  function wanted(now) {
    const ids = listed.runs.map((one) => one.id);
    return ids.includes(now["training.run"]) ? now["training.run"] : (ids[0] ?? null);
  }

  async function load(id) {
    stopWatching();
    const signal = renewed("run");
    const answer = await page.ask("run", { question: question(), run: id, after: -1 }, { signal, fresh: !page.isFile });
    run = { id, panels: answer.panels, thorough: null };
    asked = "";
    controllers.probe?.abort();
    course.forget();
    probes.reset([]);
    picker.value = id;
    show(answer);
  }

  function show(answer) {
    const hasGrown = answer.lines !== run.lines;
    run = { ...run, answer, last: answer.last, lines: answer.lines };
    const { run: short } = answer;
    clear(state, STATES[short.state] ?? short.state);
    state.className = `chip training-${short.state.replace(" ", "-")}`;
    clear(verdict, answer.verdict.text);
    verdict.className = `training-told training-${answer.verdict.tone}`;
    going.hidden = answer.share === null || short.state === "finished";
    progress.value = answer.share ?? 0;
    clear(
      eta,
      `${percent(Math.min(1, answer.share ?? 0))} of ${answer.budget}`,
      answer.seconds_left !== null && ` · about ${duration(answer.seconds_left)} left`,
    );
    clear(facts, factsOf(answer));
    if (hasGrown) {
      grid.update(run.panels);
      tellDiagnosis("no");
    }
    watch(short.state);
  }

  function tellDiagnosis(thorough) {
    const { answer } = run;
    const possible = !answer.run.is_record && !page.isFile && answer.diagnosis.judged;
    diagnosis.update(run.thorough ?? answer.diagnosis, { thorough: run.thorough ? "yes" : thorough, possible });
  }

  function watch(now) {
    stopWatching();
    if (now === "running" && !page.isFile) timer = setTimeout(poll, EVERY);
  }

  function stopWatching() {
    clearTimeout(timer);
    timer = null;
  }

  async function poll() {
    if (document.hidden) return watch("running");
    const { id, last, lines } = run;
    try {
      const body = { question: question(), run: id, after: last };
      const answer = await page.ask("run", body, { signal: renewed("run"), fresh: true });
      if (run.id !== id) return undefined;
      if (answer.before !== lines) return await load(id); // it was taken up again from an earlier step
      run.panels = joined(run.panels, answer.panels);
      const hadNone = run.answer.no_course;
      show(answer);
      if (hadNone && !answer.no_course) await follow(page.state());
    } catch (error) {
      if (!isGone(error)) watch("running"); // the next look may succeed
    }
    return undefined;
  }

  async function examine() {
    const { id } = run;
    tellDiagnosis("busy");
    try {
      const found = await page.ask("run_diagnosis", { question: question(), run: id }, { fresh: true });
      if (run.id === id) run.thorough = found.diagnosis;
    } catch (error) {
      troubled(error);
    }
    if (run.id === id) tellDiagnosis("no");
  }

  async function follow(now) {
    if (run.answer.no_course) {
      course.refuse(sentence(run.answer.no_course));
      return;
    }
    const body = {
      question: page.question(),
      run: run.id,
      layer: Number(now["training.layer"] ?? 0),
      head: Number(now["training.head"] ?? 0),
      top: 5,
    };
    const key = JSON.stringify(body);
    if (key === asked) return showCourse(body);
    asked = key;
    const signal = renewed("course");
    try {
      const answer = await page.ask("run_checkpoints", body, { signal });
      const before = course.steps.join();
      run.course = answer;
      showCourse(body);
      if (before !== answer.steps.join()) probes.reset(page.isFile ? [] : answer.steps);
    } catch (error) {
      if (isGone(error)) {
        if (asked === key) asked = "";
      } else course.refuse(error.what ?? String(error), error.remedy);
    }
  }

  function showCourse({ layer, head }) {
    if (!run.course) return;
    const { "training.step": step, "training.place": place } = page.state();
    const index = run.course.steps.indexOf(Number(step ?? -1));
    course.update(run.course, { index: index < 0 ? undefined : index, layer, head, place: Number(place ?? -1) });
    mark();
  }

  function mark() {
    const step = course.steps[course.index];
    grid.mark(step === undefined ? null : step, "");
  }

  function chosen({ index, layer, head, place }) {
    const changes = {};
    if (index !== undefined) changes["training.step"] = course.steps[index];
    if (layer !== undefined) changes["training.layer"] = layer;
    if (head !== undefined) changes["training.head"] = head;
    if (place !== undefined) changes["training.place"] = place;
    page.set(changes, { replace: true });
  }

  async function probeAll() {
    const signal = renewed("probe");
    const { id } = run;
    const { steps } = course;
    try {
      for (const step of steps) {
        const answer = await page.ask("run_probe", { question: question(), run: id, step }, { signal });
        if (run.id !== id) return;
        probes.add(answer, steps.length);
      }
    } catch (error) {
      probes.failed();
      troubled(error);
    }
  }

  grid.onPick((step) => {
    const { steps } = course;
    if (!steps.length) return;
    const nearest = steps.reduce((best, one) => (Math.abs(one - step) < Math.abs(best - step) ? one : best));
    page.set({ "training.step": nearest }, { replace: true });
  });

  return {
    update,
    unmount() {
      stopWatching();
      course.stop();
      grid.destroy();
      for (const one of Object.values(controllers)) one?.abort();
    },
  };
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

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

const notSaved = () => [
  h("h2", {}, "This run is not in this file"),
  h("p", { class: "note" }, "A saved page holds what belongs to its sentence. Runs are shown where mini-bert explore runs."),
];

function nothing() {
  return [
    h("h2", {}, "No run here yet"),
    h("p", {}, "A run is what training leaves: curves, and the model at several moments. Begin a small one in a terminal, and it appears here while it learns:"),
    h("p", {}, h("code", {}, "mini-bert demo")),
    h("p", { class: "note" }, "It takes two minutes. Runs in the folder ./runs of where the explorer was started are listed here, too, and the run of the model that is shown."),
  ];
}
