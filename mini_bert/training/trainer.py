"""The trainer: one step after the other, measured, guarded, and saved so that it can go on from anywhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

from mini_bert.core.arena import Arena
from mini_bert.core.functions.dropout import Noise
from mini_bert.models.mini import MiniBERT
from mini_bert.training.adaptive_masking import AdaptiveShare
from mini_bert.training.assembly import exams_of, optimizer_of, stream_of
from mini_bert.training.averaging import EMA
from mini_bert.training.budget import Budget
from mini_bert.training.checkpoints import Checkpoint, Checkpoints
from mini_bert.training.clipping import AdaptiveClipping, clipping_scale
from mini_bert.training.config import TrainingConfig
from mini_bert.training.culprits import largest_gradients, not_finite
from mini_bert.training.drawn_labels import curvature_batch, drawn_labels
from mini_bert.training.facts import facts_of
from mini_bert.training.goals import goal_of
from mini_bert.training.guard import Guard, Verdict
from mini_bert.training.inspection import Inspector
from mini_bert.training.masking import masked_words
from mini_bert.training.materials import Materials
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.parallel import Team
from mini_bert.training.progress import Metrics, Progress, Window
from mini_bert.training.run_folder import MetricsFile, RunFolder
from mini_bert.training.saving import read_checkpoint, write_checkpoint
from mini_bert.training.schedules import MaskingSchedule, Schedule
from mini_bert.training.step import Gradients, TrainingStep
from mini_bert.training.validation import HELD_OUT, examine

MOST_SKIPPED = 20
"""Steps in a row. If all of them are broken, the weights are, and no further step can mend them."""

Ending = Literal["finished", "interrupted"]


class Taken(NamedTuple):
    """A step that was taken: what was asked, how fast it learned, and what was seen inside it, if anyone looked."""

    loss: float
    rate: float
    batch_size: int
    row_length: int
    masked_share: float
    inspection: Metrics


class Trainer:
    """A run: `Trainer(config, folder, materials, team).run()`, and again after `resume()`.

    `listen(metrics)` is called after every step with what is known then. `stop()` may be called at any time, from a
    signal handler or another thread: the step is finished, a checkpoint saved, and `run` returns. `model` is where the
    run begins: without one, the configured model with random weights.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        materials: Materials,
        team: Team,
        model: MiniBERT | None = None,
        listen: Callable[[Metrics], None] = lambda metrics: None,
    ) -> None:
        self.config, self.folder, self.materials, self.team = config, folder, materials, team
        self.listen = listen
        self.model = model or MiniBERT(
            config.model_config_of(materials.tokenizer), seed=config.seed, dtype=config.dtype
        )
        self.budget = Budget(config.budget)
        self.schedule = Schedule(**config.schedule.model_dump())
        self.optimizer = optimizer_of(config, self.model)
        self.highest_rate = self.optimizer.learning_rate
        self.ema = EMA(self.model.arena, config.averaging.decay) if config.averaging.kind == "ema" else None
        self.clipping = AdaptiveClipping(self.model.arena, config.clipping.factor)
        self.adaptive = AdaptiveShare(config.masking.share) if config.masking.adaptive else None
        self.goal = goal_of(config, materials.tokenizer)
        self.stream = stream_of(config, materials, self.goal, self.masked_share(0.0))
        self.exams = exams_of(config, materials, self.goal)
        self.inspector = Inspector(self.model, materials.tokenizer)
        self.work = TrainingStep(self.model.network, self.model.arena, team, self.goal.objective)
        self.guard = Guard(config.guard.z_score)
        self.checkpoints = Checkpoints(folder.checkpoints, config.saving.keep)
        self.progress = Progress()
        self.saved_step: int | None = None
        self.resumed_from: Checkpoint | None = None
        self.passed_over: dict[Path, str] = {}
        self.stopping = False

    def stop(self) -> None:
        """End the run after the present step."""
        self.stopping = True

    @property
    def done(self) -> float:
        """The share of the budget that is used up."""
        return min(1.0, self.budget.share(self.progress.spent))

    def run(self) -> Ending:
        """Train until the budget is spent, or until `stop` is called; ValueError if the disk fails."""
        try:
            return self.train()
        except BrokenPipeError:  # whoever listened has gone: nothing is wrong with the run
            self.save()
            raise
        except OSError as error:
            raise ValueError(
                f"{error.filename or self.folder.path}: {error.strerror or error}; {self.what_is_saved()}. Make room,"
                f" then go on with: mini-bert train --resume {self.folder.path}"
            ) from error

    def what_is_saved(self) -> str:
        step = self.saved_step
        return "no checkpoint was written yet" if step is None else f"the checkpoint of step {step} is whole"

    def train(self) -> Ending:
        if not self.folder.facts():
            self.folder.write_facts(self.facts())
        tensorboard, step = self.config.logging.tensorboard, self.progress.spent.steps
        with self.folder.open_metrics(tensorboard=tensorboard, resumed_at=step) as metrics:
            while self.budget.share(self.progress.spent) < 1:
                if self.stopping:
                    self.save()
                    return "interrupted"
                try:
                    self.keep_account(metrics, self.one_step())
                except TrainingStopped:
                    self.progress.spent.steps += 1
                    self.log(metrics)
                    raise
        return "finished"

    def facts(self) -> Metrics:
        """What is known before the first step; of a model that is trained already, also how it does."""
        known = facts_of(self.model, self.materials, self.exams[HELD_OUT], self.team.size)
        known |= {"asks": self.goal.asks, "objective": self.goal.name}
        if self.config.init:
            known |= {f"start_{name}": value for name, value in self.evaluate().items()}
        return known

    def one_step(self, rate: float | None = None) -> Taken:
        """Learn from the next batch, with another rate than that of the schedule if one is given."""
        start, spent = perf_counter(), self.progress.spent
        batch_size, done = self.next_step()
        k = self.masked_words(done)
        batch = self.stream.take(batch_size, k, done)
        if self.optimizer.hessian_due:
            self.look_at_curvature(batch)
        result = self.work.gradients(batch, self.micro_batch(batch), self.noise)
        rate = self.highest_rate * self.schedule(done) if rate is None else rate
        before = self.inspector.before(result.grads) if self.is_inspected(batch) else None
        has_learned = self.learn(batch, result, rate)
        inspection = {"inspection": self.inspector.after(before, batch)} if before else {}
        if self.adaptive:
            self.adaptive.observe(result.accuracy)
        seconds, tokens = perf_counter() - start, batch.tokens
        spent.steps += 1
        spent.tokens += tokens
        spent.seconds += seconds + self.progress.uncounted
        self.progress.uncounted = 0.0
        if has_learned:
            self.progress.window.add(result, self.work.norm, tokens, seconds)
        self.listen(
            {
                "step": spent.steps,
                "loss": result.loss,
                "accuracy": result.accuracy,
                "learning_rate": rate,
                "gradient_norm": self.work.norm,
                "tokens": spent.tokens,
                "tokens_per_second": tokens / max(seconds, 1e-9),
                "done": self.done,
            }
        )
        row_length = batch.ids.shape[1]
        asked = batch.positions.shape[1] / row_length
        return Taken(result.loss, rate, batch_size, row_length, asked, inspection)

    def is_inspected(self, batch: MaskedBatch) -> bool:
        """Whether this step is looked into: each so many, and the last."""
        spent = self.progress.spent
        is_due = (spent.steps + 1) % self.config.logging.inspect_every == 0
        return is_due or self.budget.ends_with(spent, batch.tokens)

    def next_step(self) -> tuple[int, float]:
        """How many rows the next batch has, and where in the run it stands; shorter rows are more."""
        spent, settings, T = self.progress.spent, self.config.batch, self.materials.rows.T
        tokens = settings.size * T
        pace = spent.seconds / spent.steps if spent.steps else 0.0
        done = self.budget.middle_of_next_step(spent, tokens, pace)
        full_rows = settings.size if settings.ramp_from is None else settings.ramp()(done)
        return full_rows * (T // self.stream.at(done).rows.T), done

    def micro_batch(self, batch: MaskedBatch) -> int:
        """How many rows of a batch go through the model at a time: as many tokens in short rows as in full ones."""
        row_length: int = batch.ids.shape[1]
        return self.config.batch.micro * (self.materials.rows.T // row_length)

    def masked_words(self, done: float) -> int:
        """How many words are asked for in a row at this share of the run."""
        return masked_words(self.stream.at(done).rows.T, self.masked_share(done))

    def masked_share(self, done: float) -> float:
        """How large a share of the words is asked for."""
        masking = self.config.masking
        share = self.adaptive.value if self.adaptive else masking.share
        if masking.final_share is not None:
            share = MaskingSchedule(masking.share, masking.final_share)(done)
        return share

    @property
    def noise(self) -> Noise | None:
        """What dropout draws from in this step."""
        model = self.model.config
        if model.dropout > 0 or model.attention_dropout > 0:
            return Noise(self.config.seed, self.progress.spent.steps)
        return None

    def look_at_curvature(self, batch: MaskedBatch) -> None:
        """Sophia's estimate, from labels that the model draws itself; one that is not finite is left out."""
        asked, N = curvature_batch(batch)
        relabel = drawn_labels(self.config.seed, self.progress.spent.steps)
        grads = self.work.gradients(asked, self.micro_batch(batch), relabel=relabel).grads
        if isfinite(self.work.norm):
            self.team.each(lambda worker: self.optimizer.update_hessian(grads, N, worker, self.team.size))

    def learn(self, batch: MaskedBatch, result: Gradients, rate: float) -> bool:
        """Change the weights, unless the guard has found something wrong; returns whether they were changed."""
        grads, norm, clipping, scale = result.grads, self.work.norm, self.config.clipping, 1.0
        verdict = self.guard.judge(result.loss, norm)
        if verdict != "fine" and self.report_trouble(verdict, batch, result) == "skip":
            self.progress.skipped += 1
            self.progress.skipped_in_a_row += 1
            return False
        self.progress.skipped_in_a_row = 0
        if clipping.kind == "norm":
            scale = clipping_scale(norm, clipping.max_norm)
        elif clipping.kind == "adaptive":
            self.team.each(lambda worker: self.clipping.clip(grads, worker, self.team.size))
        self.optimizer.learning_rate = rate
        self.optimizer.begin()
        self.team.each(lambda worker: self.optimizer.update(grads, worker, self.team.size, scale))
        if self.ema:
            self.ema.update()
        return True

    def report_trouble(self, verdict: Verdict, batch: MaskedBatch, result: Gradients) -> str:
        """Say what is wrong and where, and what is done about it; raises if that is to stop."""
        settings, step = self.config.guard, self.progress.spent.steps + 1
        if verdict == "spike":
            action: str = settings.spikes
            place = f"largest in {', '.join(largest_gradients(result.grads))}"
        else:
            action, micro = settings.non_finite, self.micro_batch(batch)
            objective = self.goal.objective
            where = not_finite(self.model.network, self.model.arena, batch, micro, self.noise, objective)
            place = f"first in {', '.join(where) or 'the sum over the batch'}"
        told = f"step {step}: {verdict}: loss {result.loss:.4g}, gradient norm {self.work.norm:.4g}, {place}"
        if action == "skip" and self.progress.skipped_in_a_row >= MOST_SKIPPED:
            action, told = "stop", f"{told}, and so in the {MOST_SKIPPED} steps before"
        self.progress.window.troubles.append(f"{told} ({action})")
        if action == "stop":
            raise TrainingStopped(
                f"{told}; {self.what_is_saved()}. Begin a run with a lower --learning-rate, or one that skips such"
                " steps (--set guard.non_finite=skip, --set guard.spikes=skip)"
            )
        self.listen({"step": step, "trouble": told, "action": action})
        return action

    def keep_account(self, metrics: MetricsFile, taken: Taken) -> None:
        """Write metrics, look at held-out text and save, each when its time has come, and all at the end.

        A model that is better than all before is always saved.
        """
        step, logging, is_last = self.progress.spent.steps, self.config.logging, self.done >= 1
        scores = self.evaluate() if step % logging.evaluate_every == 0 or is_last else {}
        if step % logging.every == 0 or scores or taken.inspection:
            row_length = ("row_length",) if self.config.batch.short_rows else ()
            about = {name: getattr(taken, name) for name in ("batch_size", *row_length, "masked_share")}
            self.log(metrics, {"learning_rate": taken.rate, **about, **scores, **taken.inspection})
        is_best = bool(scores) and self.is_best(scores)
        if step % self.config.saving.every == 0 or is_last or is_best:
            self.save(is_best=is_best)

    def log(self, metrics: MetricsFile, more: Metrics | None = None) -> None:
        """One line: means over the steps since the last one, and whatever else was measured at this step."""
        spent, window = self.progress.spent, self.progress.window
        line = {
            "step": spent.steps,
            **window.means(),
            "epoch": self.stream.epoch,
            "tokens": spent.tokens,
            "seconds": spent.seconds,
        }
        if window.troubles:
            line["troubles"] = window.troubles
        metrics.write(line | (more or {}))
        self.progress.window = Window()

    def evaluate(self) -> dict[str, float]:
        """The scores on held-out text, by the averaged weights if there are any."""
        start = perf_counter()
        with self.ema.swapped() if self.ema else nullcontext():
            scores: dict[str, float] = {}
            network, params, objective = self.model.network, self.model.arena, self.goal.objective
            for name, exam in self.exams.items():
                scores |= examine(network, params, exam, self.team, objective).named(name)
        self.progress.uncounted += perf_counter() - start
        return scores

    def is_best(self, scores: dict[str, float]) -> bool:
        """Whether no earlier score was as good; if so, this is the one to beat from now on."""
        loss, best = scores[self.goal.objective.judged_by], self.progress.best
        if not isfinite(loss) or (best is not None and loss >= best):
            return False
        self.progress.best = loss
        return True

    def save(self, *, is_best: bool = False) -> None:
        """Write a checkpoint: everything that decides what comes next. Its model has the averaged weights, if any."""
        if self.saved_step == self.progress.spent.steps:
            return
        start = perf_counter()
        with self.ema.swapped() if self.ema else nullcontext():
            files = write_checkpoint(self.model, self.materials.tokenizer, self.moments(), self.state())
        self.checkpoints.save(self.progress.spent.steps, files, is_best=is_best)
        self.saved_step = self.progress.spent.steps
        self.progress.uncounted += perf_counter() - start

    def moments(self) -> dict[str, Arena]:
        return {**self.optimizer.moments(), **(self.ema.moments() if self.ema else {})}

    def state(self) -> Metrics:
        return {
            "progress": asdict(self.progress),
            "optimizer": self.optimizer.state(),
            "ema": self.ema.state() if self.ema else None,
            "adaptive": self.adaptive.state() if self.adaptive else None,
            "stream": self.stream.state(),
            "guard": self.guard.state(),
            "inspector": self.inspector.state(),
            "objective": self.goal.objective.state(),
        }

    def resume(self) -> Checkpoint | None:
        """Go on from the newest sound checkpoint; None if there is none, and the run starts over.

        `passed_over` names newer ones that could not be used; the one that was is saved again in their place.
        """
        found, damaged = self.checkpoints.newest(), dict(self.checkpoints.damaged)
        if found is None and damaged:
            faults = "; ".join(f"{folder}: {fault}" for folder, fault in damaged.items())
            raise ValueError(
                f"{faults}; no other checkpoint is left. Restore one, or remove {self.checkpoints.folder} to start over"
            )
        if found is not None:
            self.load(found)
        self.folder.forget_after(found.step if found else 0)
        self.resumed_from, self.passed_over = found, damaged
        if damaged:
            self.saved_step = None
            self.save()
        return found

    def load(self, checkpoint: Checkpoint) -> None:
        state = read_checkpoint(checkpoint, self.model, self.moments())
        if state.get("objective", {}) != self.goal.objective.state():
            raise ValueError(
                f"{self.config.distillation.teacher}: not the teacher that the run in {self.folder.path} learned from;"
                " put its old weights back, or name another in distillation.teacher of config.yaml and begin anew"
            )
        self.progress = Progress.read(state["progress"])
        if self.checkpoints.best() is None:
            self.progress.best = None
        self.saved_step = checkpoint.step
        self.optimizer.load_state(state["optimizer"])
        if self.ema:
            self.ema.swap()
            self.ema.load_state(state["ema"])
        if self.adaptive:
            self.adaptive.load_state(state["adaptive"])
        self.stream.resume(state["stream"])
        self.guard.load_state(state["guard"])
        self.inspector.load_state(state["inspector"])


class TrainingStopped(Exception):
    """The guard ended the run: the message says why, and what to do."""
