"""The trainer: one step after the other, measured, guarded, and saved so that it can go on from anywhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from math import exp
from time import perf_counter
from typing import Any, Literal

from mini_bert.core.arena import Arena
from mini_bert.core.functions.dropout import Noise
from mini_bert.models.mini import MiniBERT
from mini_bert.training.adaptive_masking import AdaptiveShare
from mini_bert.training.assembly import exams_of, optimizer_of, stream_of
from mini_bert.training.averaging import EMA
from mini_bert.training.budget import Budget, Spent
from mini_bert.training.checkpoints import Checkpoint, Checkpoints
from mini_bert.training.clipping import AdaptiveClipping, clipping_scale
from mini_bert.training.config import TrainingConfig
from mini_bert.training.drawn_labels import drawn_labels
from mini_bert.training.facts import facts_of
from mini_bert.training.guard import Guard, culprits
from mini_bert.training.inspection import Inspector
from mini_bert.training.materials import Materials
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import MetricsFile, RunFolder
from mini_bert.training.saving import read_checkpoint, write_checkpoint
from mini_bert.training.schedules import BatchRamp, MaskingSchedule, Schedule
from mini_bert.training.step import Gradients, TrainingStep
from mini_bert.training.validation import examine

Ending = Literal["finished", "interrupted"]
Metrics = dict[str, Any]


@dataclass
class Window:
    """Sums over the steps since metrics were last written."""

    steps: int = 0
    loss: float = 0.0
    accuracy: float = 0.0
    norm: float = 0.0
    second_loss: float = 0.0
    second_accuracy: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    troubles: list[str] = field(default_factory=list)

    def add(self, result: Gradients, norm: float, tokens: int, seconds: float) -> None:
        self.steps += 1
        self.loss += result.loss
        self.accuracy += result.accuracy
        self.norm += norm
        if result.second:
            self.second_loss += result.second[0]
            self.second_accuracy += result.second[1]
        self.tokens += tokens
        self.seconds += seconds


@dataclass
class Progress:
    """Where a run stands: all plain numbers of a checkpoint.

    `uncounted` are seconds of evaluation and saving that the next step will count, so that a run is over after a step.
    """

    spent: Spent = field(default_factory=Spent)
    uncounted: float = 0.0
    window: Window = field(default_factory=Window)
    best: float | None = None
    skipped: int = 0


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
            config.model_config_of(materials.tokenizer.vocab_size), seed=config.seed, dtype=config.dtype
        )
        self.budget = Budget(config.budget)
        self.schedule = Schedule(**config.schedule.model_dump())
        self.optimizer = optimizer_of(config, self.model)
        self.ema = EMA(self.model.arena, config.averaging.decay) if config.averaging.kind == "ema" else None
        self.clipping = AdaptiveClipping(self.model.arena, config.clipping.factor)
        self.adaptive = AdaptiveShare(config.masking.share) if config.masking.adaptive else None
        self.stream = stream_of(config, materials, self.masked_words(0.0))
        self.exams = exams_of(config, materials)
        self.inspector = Inspector(self.model, materials.tokenizer)
        self.work = TrainingStep(self.model.network, self.model.arena, team)
        self.guard = Guard(config.guard.z_score)
        self.checkpoints = Checkpoints(folder.checkpoints, config.saving.keep)
        self.progress = Progress()
        self.stopping = False

    def stop(self) -> None:
        """End the run after the present step."""
        self.stopping = True

    @property
    def done(self) -> float:
        """The share of the budget that is used up."""
        return min(1.0, self.budget.share(self.progress.spent))

    def run(self) -> Ending:
        """Train until the budget is spent, or until `stop` is called."""
        if not self.folder.facts():
            self.folder.write_facts(self.facts())
        tensorboard, step = self.config.logging.tensorboard, self.progress.spent.steps
        with self.folder.open_metrics(tensorboard=tensorboard, resumed_at=step) as metrics:
            while self.budget.share(self.progress.spent) < 1:
                if self.stopping:
                    self.save()
                    return "interrupted"
                self.one_step(metrics)
        return "finished"

    def facts(self) -> Metrics:
        """What is known before the first step; of a model that is trained already, also how it does."""
        known = facts_of(self.model, self.materials, self.exams["held_out"], self.team.size)
        if self.config.init:
            known |= {f"start_{name}": value for name, value in self.evaluate().items()}
        return known

    def one_step(self, metrics: MetricsFile) -> None:
        start, spent = perf_counter(), self.progress.spent
        batch_size, done = self.next_step()
        batch = self.stream.take(batch_size, self.masked_words(done), done)
        if self.optimizer.hessian_due:
            self.look_at_curvature(batch)
        result = self.work.gradients(batch, self.config.batch.micro, self.noise)
        rate = self.config.optimizer.learning_rate * self.schedule(done)
        before = self.inspector.before(result.grads) if self.is_inspected(batch) else None
        self.learn(result.grads, result.loss, self.work.norm, rate)
        inspection = {"inspection": self.inspector.after(before, batch)} if before else {}
        if self.adaptive:
            self.adaptive.observe(result.accuracy)
        seconds, tokens = perf_counter() - start, batch.ids.size
        spent.steps += 1
        spent.tokens += tokens
        spent.seconds += seconds + self.progress.uncounted
        self.progress.uncounted = 0.0
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
        self.keep_account(metrics, rate, batch_size, inspection)

    def is_inspected(self, batch: MaskedBatch) -> bool:
        """Whether this step is looked into: each so many, and the last."""
        spent = self.progress.spent
        is_due = (spent.steps + 1) % self.config.logging.inspect_every == 0
        return is_due or self.budget.ends_with(spent, batch.ids.size)

    def next_step(self) -> tuple[int, float]:
        """The size of the next batch, and where in the run it stands."""
        spent, settings = self.progress.spent, self.config.batch
        tokens = settings.size * self.stream.rows.T
        pace = spent.seconds / spent.steps if spent.steps else 0.0
        done = self.budget.middle_of_next_step(spent, tokens, pace)
        if settings.ramp_from is None:
            return settings.size, done
        micro = min(settings.micro, settings.ramp_from)
        return BatchRamp(settings.ramp_from, settings.size, settings.ramp_until, micro)(done), done

    def masked_words(self, done: float) -> int:
        """How many words are asked for in a full row."""
        masking = self.config.masking
        share = self.adaptive.value if self.adaptive else masking.share
        if masking.final_share is not None:
            share = MaskingSchedule(masking.share, masking.final_share)(done)
        return max(1, round(share * self.materials.rows.T))

    @property
    def noise(self) -> Noise | None:
        """What dropout draws from in this step."""
        model = self.model.config
        if model.dropout > 0 or model.attention_dropout > 0:
            return Noise(self.config.seed, self.progress.spent.steps)
        return None

    def look_at_curvature(self, batch: MaskedBatch) -> None:
        """Sophia's estimate, from labels that the model draws itself."""
        relabel = drawn_labels(self.config.seed, self.progress.spent.steps)
        words = replace(batch, question=None)
        grads = self.work.gradients(words, self.config.batch.micro, relabel=relabel).grads
        asked = int((batch.weights > 0).sum())
        self.team.each(lambda worker: self.optimizer.update_hessian(grads, asked, worker, self.team.size))

    def learn(self, grads: Arena, loss: float, norm: float, rate: float) -> None:
        """Change the weights, unless the guard has found something wrong."""
        verdict, settings = self.guard.judge(loss, norm), self.config.guard
        if verdict != "fine":
            action = settings.non_finite if verdict == "not finite" else settings.spikes
            self.report_trouble(verdict, action, loss, norm, culprits(grads))
            if action == "skip":
                self.progress.skipped += 1
                return
        clipping, scale = self.config.clipping, 1.0
        if clipping.kind == "norm":
            scale = clipping_scale(norm, clipping.max_norm)
        elif clipping.kind == "adaptive":
            self.team.each(lambda worker: self.clipping.clip(grads, worker, self.team.size))
        self.optimizer.learning_rate = rate
        self.optimizer.begin()
        self.team.each(lambda worker: self.optimizer.update(grads, worker, self.team.size, scale))
        if self.ema:
            self.ema.update()

    def report_trouble(self, verdict: str, action: str, loss: float, norm: float, where: list[str]) -> None:
        step = self.progress.spent.steps + 1
        told = (
            f"step {step}: {verdict}: loss {loss:.4g}, gradient norm {norm:.4g}, first in {', '.join(where)}"
        )
        self.progress.window.troubles.append(f"{told} ({action})")
        self.listen({"step": step, "trouble": told, "action": action})
        if action == "stop":
            raise TrainingStopped(
                f"{told}; the last checkpoint is from before it. Lower optimizer.learning_rate, or let such steps"
                " be skipped (--set guard.non_finite=skip, guard.spikes=skip)"
            )

    def keep_account(self, metrics: MetricsFile, rate: float, batch_size: int, inspection: Metrics) -> None:
        """Write metrics, look at held-out text and save, each when its time has come, and all at the end."""
        step, logging, is_last = self.progress.spent.steps, self.config.logging, self.done >= 1
        scores = self.evaluate() if step % logging.evaluate_every == 0 or is_last else {}
        if step % logging.every == 0 or scores or inspection:
            self.log(metrics, rate, batch_size, scores | inspection)
        if step % self.config.saving.every == 0 or is_last:
            self.save(is_best=bool(scores) and self.is_best(scores))

    def log(self, metrics: MetricsFile, rate: float, batch_size: int, more: Metrics) -> None:
        """One line: means over the steps since the last one, and whatever else was measured at this step."""
        spent, window = self.progress.spent, self.progress.window
        n = max(1, window.steps)
        line: Metrics = {
            "step": spent.steps,
            "loss": window.loss / n,
            "perplexity": exp(min(window.loss / n, 700.0)),
            "accuracy": window.accuracy / n,
            "gradient_norm": window.norm / n,
            "learning_rate": rate,
            "batch_size": batch_size,
            "masked_share": self.masked_words(self.done) / self.stream.rows.T,
            "epoch": self.stream.epoch,
            "tokens": spent.tokens,
            "seconds": spent.seconds,
            "tokens_per_second": window.tokens / max(window.seconds, 1e-9),
        }
        if self.config.second_task.kind != "none":
            line |= {"second_loss": window.second_loss / n, "second_accuracy": window.second_accuracy / n}
        if window.troubles:
            line["troubles"] = window.troubles
        metrics.write(line | more)
        self.progress.window = Window()

    def evaluate(self) -> dict[str, float]:
        """The scores on held-out text, by the averaged weights if there are any."""
        start = perf_counter()
        with self.ema.swapped() if self.ema else nullcontext():
            scores: dict[str, float] = {}
            for name, exam in self.exams.items():
                scores |= examine(self.model.network, self.model.arena, exam, self.team).named(name)
        self.progress.uncounted += perf_counter() - start
        return scores

    def is_best(self, scores: dict[str, float]) -> bool:
        """Whether no earlier score was as good; if so, this is the one to beat from now on."""
        loss = scores["held_out_loss"]
        if self.progress.best is not None and not loss < self.progress.best:
            return False
        self.progress.best = loss
        return True

    def save(self, *, is_best: bool = False) -> None:
        """Write a checkpoint: everything that decides what comes next. Its model has the averaged weights, if any."""
        start = perf_counter()
        with self.ema.swapped() if self.ema else nullcontext():
            files = write_checkpoint(self.model, self.materials.tokenizer, self.moments(), self.state())
        self.checkpoints.save(self.progress.spent.steps, files, is_best=is_best)
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
        }

    def resume(self) -> Checkpoint | None:
        """Go on from the newest sound checkpoint; None if there is none, and the run starts over.

        `checkpoints.damaged` names newer ones that could not be used.
        """
        found = self.checkpoints.newest()
        if found is not None:
            self.load(found)
        self.folder.forget_after(found.step if found else 0)
        return found

    def load(self, checkpoint: Checkpoint) -> None:
        state = read_checkpoint(checkpoint, self.model, self.moments())
        progress = state["progress"]
        spent, window = Spent(**progress.pop("spent")), Window(**progress.pop("window"))
        self.progress = Progress(spent, window=window, **progress)
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
