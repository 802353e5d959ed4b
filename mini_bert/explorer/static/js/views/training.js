// Training: curves of a run, live while it goes on, whether it is healthy, and how the sentence was learned.

import { clear, h } from "../dom.js";
import { inOneLine, sentence } from "../problem_words.js";
import { isGone } from "../source.js";
import { coursePanel } from "../training/course.js";
import { diagnosisPanel } from "../training/diagnosis.js";
import { notSaved, nothing } from "../training/no_runs.js";
import { overview } from "../training/overview.js";
import { joined, panelGrid } from "../training/panels.js";
import { probePanel } from "../training/probe.js";
import { bare } from "../training/words.js";

const EVERY = 2000; // milliseconds between two looks at a running run

export const title = "Training";
export const hint =
  "Choose a run: its curves, what is sound in them, and below, how it came to read your sentence as it does " +
  "now. A run that goes on is followed live.";

export function mount(root, page) {
  const empty = h("section", { class: "panel", hidden: true, "data-test": "no-runs" });
  const head = h("div");
  const rest = h("div", { class: "stack" });
  root.append(h("div", { class: "stack" }, empty, head, rest));
  const top = overview(head, { onPick: (id) => page.set({ "training.run": id, "training.step": null }) });
  const diagnosis = diagnosisPanel(rest, { onExamine: examine });
  const grid = panelGrid(rest);
  const course = coursePanel(rest, { onChange: chosen });
  const probes = probePanel(rest, { onStart: probeAll });

  let listed = null; // {model, runs}
  let run = null; // {id, panels, last, lines, answer}
  let asked = ""; // what the course was asked last
  let timer = null;
  const controllers = { runs: null, run: null, diagnosis: null, course: null, probe: null };

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
    controllers.runs?.abort(); // also one for a model that was chosen and taken back
    try {
      if (!listed || listed.model !== now.model) await list(now);
      const id = wanted(now);
      if (id === null) return;
      top.choose(id);
      if (run?.id !== id) await load(id);
      await follow(page.state());
    } catch (error) {
      if (page.isFile && !isGone(error)) showEmpty(notSaved());
      else troubled(error);
    }
  }

  function showEmpty(told) {
    empty.hidden = !told;
    head.hidden = Boolean(told);
    rest.hidden = Boolean(told);
    if (told) clear(empty, told);
  }

  async function list(now) {
    const { runs } = await page.ask("runs", { question: question() }, { signal: renewed("runs"), fresh: !page.isFile });
    listed = { model: now.model, runs };
    top.list(runs);
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
    if (wanted(page.state()) !== id) return run && watch(run.answer.run.state); // another was chosen meanwhile
    run = { id, panels: answer.panels, thorough: null };
    asked = "";
    for (const name of ["diagnosis", "course", "probe"]) controllers[name]?.abort();
    course.forget();
    probes.forget();
    return show(answer);
  }

  function show(answer) {
    const hasGrown = answer.lines !== run.lines;
    run = { ...run, answer, last: answer.last, lines: answer.lines };
    top.update(answer);
    if (hasGrown) {
      grid.update(run.panels);
      tellDiagnosis("no");
    }
    watch(answer.run.state);
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
      const before = String(run.answer.checkpoints);
      show(answer);
      if (before !== String(answer.checkpoints)) await follow(page.state()); // another one was saved
    } catch (error) {
      if (!isGone(error)) watch("running"); // the next look may succeed
    }
    return undefined;
  }

  async function examine() {
    const { id } = run;
    tellDiagnosis("busy");
    try {
      const signal = renewed("diagnosis");
      const found = await page.ask("run_diagnosis", { question: question(), run: id }, { signal, fresh: true });
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
    const key = JSON.stringify([body, run.answer.checkpoints]);
    if (key === asked) return showCourse();
    asked = key;
    const signal = renewed("course");
    try {
      const answer = await page.ask("run_checkpoints", body, { signal, fresh: !page.isFile });
      if (run.id !== body.run) return;
      run.course = answer;
      showCourse();
      if (!page.isFile) probes.offer(run.course.steps);
    } catch (error) {
      if (isGone(error)) {
        if (asked === key) asked = "";
      } else course.refuse(inOneLine(error));
    }
  }

  function showCourse() {
    if (!run.course) return;
    const { layer, head } = run.course;
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
    probes.setBusy(true);
    try {
      for (let step = probes.next(); step !== undefined; step = probes.next()) {
        const answer = await page.ask("run_probe", { question: question(), run: id, step }, { signal });
        if (run.id !== id) return;
        probes.add(answer);
      }
    } catch (error) {
      troubled(error);
    } finally {
      if (controllers.probe.signal === signal) probes.setBusy(false);
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
      course.close();
      probes.close();
      grid.destroy();
      for (const one of Object.values(controllers)) one?.abort();
    },
  };
}
