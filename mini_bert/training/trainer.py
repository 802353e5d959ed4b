"""The trainer: one step after the other, measured, guarded, and saved now and then."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from math import isfinite
from time import perf_counter
from typing import Literal, NamedTuple

from mini_bert.core.functions.dropout import Noise
from mini_bert.training.clipping import clipping_scale
from mini_bert.training.cluster.batches import Share, next_share
from mini_bert.training.culprits import largest_gradients, not_finite
from mini_bert.training.drawn_labels import curvature_batch, drawn_labels
from mini_bert.training.facts import facts_of
from mini_bert.training.guard import Verdict
from mini_bert.training.masking import masked_words
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.progress import Metrics, Window
from mini_bert.training.run_folder import MetricsFile
from mini_bert.training.standing import Standing
from mini_bert.training.step import Gradients
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


class Trainer(Standing):
    """A run: `Trainer(config, folder, materials, team).run()`, and again after `resume()`.

    `listen(metrics)` is called after every step with what is known then. `stop()` may be called at any time, from a
    signal handler or another thread: the step is finished, a checkpoint saved, and `run` returns. `model` is where the
    run begins: without one, the configured model with random weights. Of several `ranks` each has a trainer, with rows
    of its own; all hold the same weights, and the leader keeps account.
    """

    def stop(self) -> None:
        """End the run after the present step."""
        self.stopping = True

    def run(self) -> Ending:
        """Train until the budget is spent, or until `stop` is called; ValueError if the disk fails."""
        try:
            with self.ranks.patient(60 * self.config.cluster.patience):
                return self.train()
        except BrokenPipeError:  # whoever listened has gone: nothing is wrong with the run
            if self.ranks.size == 1:  # of several, only this one knows
                self.save()
            raise
        except OSError as error:
            raise ValueError(
                f"{error.filename or self.folder.path}: {error.strerror or error}; {self.what_is_saved()}. Make room,"
                f" then go on with: {self.ranks.as_typed(f'mini-bert train --resume {self.folder.path}')}"
            ) from error

    def train(self) -> Ending:
        if not self.ranks.first(bool(self.folder.facts())):
            self.folder.write_facts(self.facts())
        tensorboard, step = self.config.logging.tensorboard, self.progress.spent.steps
        with self.folder.open_metrics(tensorboard=tensorboard, resumed_at=step) as metrics:
            while self.budget.share(self.progress.spent) < 1:
                if self.ranks.any(self.stopping):
                    self.save()
                    return "interrupted"
                try:
                    self.keep_account(metrics, self.one_step())
                except TrainingStopped:
                    self.ranks.leaving = True
                    self.progress.spent.steps += 1
                    self.log(metrics)
                    raise
        return "finished"

    def facts(self) -> Metrics:
        """What is known before the first step; of a model that is trained already, also how it does."""
        known = facts_of(self.model, self.materials, self.exams[HELD_OUT], self.team.size)
        known |= {"asks": self.goal.asks, "objective": self.goal.name, "ranks": self.ranks.size}
        if self.config.init:
            known |= {f"start_{name}": value for name, value in self.evaluate().items()}
        return known

    def one_step(self, rate: float | None = None) -> Taken:
        """Learn from the next batch, with another rate than that of the schedule if one is given."""
        start, spent = perf_counter(), self.progress.spent
        batch_size, done = self.next_step()
        share = next_share(self.stream, self.ranks, batch_size, self.masked_words(done), done)
        batch, tokens = share.batch, share.tokens
        if self.optimizer.hessian_due:
            self.look_at_curvature(share)
        result = self.work.gradients(batch, self.micro_batch(batch), self.noise, first_row=share.first_row)
        rate = self.highest_rate * self.schedule(done) if rate is None else rate
        is_inspected = self.ranks.leads and self.is_inspected(tokens)
        before = self.inspector.before(result.grads) if is_inspected else None
        has_learned = self.learn(share, result, rate)
        inspection = {"inspection": self.inspector.after(before, share.whole())} if before else {}
        if self.adaptive:
            self.adaptive.observe(result.accuracy)
        seconds, uncounted = self.ranks.of_leader(perf_counter() - start, self.progress.uncounted)
        spent.steps += 1
        spent.tokens += tokens
        spent.seconds += seconds + uncounted
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

    def is_inspected(self, tokens: int) -> bool:
        """Whether this step, of so many tokens, is looked into: each so many, and the last."""
        spent = self.progress.spent
        is_due = (spent.steps + 1) % self.config.logging.inspect_every == 0
        return is_due or self.budget.ends_with(spent, tokens)

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

    @property
    def noise(self) -> Noise | None:
        """What dropout draws from in this step."""
        model = self.model.config
        if model.dropout > 0 or model.attention_dropout > 0:
            return Noise(self.config.seed, self.progress.spent.steps)
        return None

    def look_at_curvature(self, share: Share) -> None:
        """Sophia's estimate, from labels that the model draws itself; one that is not finite is left out."""
        asked = curvature_batch(share.batch, share.words, share.questions)
        relabel = drawn_labels(self.config.seed, self.progress.spent.steps)
        micro, first = self.micro_batch(asked), share.first_row
        grads = self.work.gradients(asked, micro, relabel=relabel, first_row=first).grads
        if isfinite(self.work.norm):
            self.updating.update_hessian(grads, share.words)

    def learn(self, share: Share, result: Gradients, rate: float) -> bool:
        """Change the weights, unless the guard has found something wrong; returns whether they were changed."""
        grads, norm, clipping, scale = result.grads, self.work.norm, self.config.clipping, 1.0
        verdict = self.guard.judge(result.loss, norm)
        if verdict != "fine" and self.report_trouble(verdict, share, result) == "skip":
            self.progress.skipped += 1
            self.progress.skipped_in_a_row += 1
            return False
        self.progress.skipped_in_a_row = 0
        if clipping.kind == "norm":
            scale = clipping_scale(norm, clipping.max_norm)
        elif clipping.kind == "adaptive":
            self.team.each(lambda worker: self.clipping.clip(grads, worker, self.team.size))
        self.optimizer.learning_rate = rate
        self.updating.update(grads, scale)
        if self.ema:
            self.ema.update()
        return True

    def report_trouble(self, verdict: Verdict, share: Share, result: Gradients) -> str:
        """Say what is wrong and where, and what is done about it; raises if that is to stop."""
        settings, step = self.config.guard, self.progress.spent.steps + 1
        if verdict == "spike":
            action: str = settings.spikes
            place = f"largest in {', '.join(largest_gradients(result.grads))}"
        else:
            action, micro = settings.non_finite, self.micro_batch(share.batch)
            objective = self.goal.objective
            noise = self.noise and replace(self.noise, first_row=share.first_row)
            where = not_finite(self.model.network, self.model.arena, share.batch, micro, noise, objective)
            first = next((found for found in self.ranks.tell(where) if found), ["the sum over the batch"])
            place = f"first in {', '.join(first)}"
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
                scores |= examine(network, params, exam, self.team, objective, self.ranks).named(name)
        self.progress.uncounted += perf_counter() - start
        return scores

    def is_best(self, scores: dict[str, float]) -> bool:
        """Whether no earlier score was as good; if so, this is the one to beat from now on."""
        loss, best = scores[self.goal.objective.judged_by], self.progress.best
        if not isfinite(loss) or (best is not None and loss >= best):
            return False
        self.progress.best = loss
        return True


class TrainingStopped(Exception):
    """The guard ended the run: the message says why, and what to do."""
