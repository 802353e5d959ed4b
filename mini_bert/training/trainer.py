"""The trainer: one step after the other, measured, guarded, and saved so that it can go on from anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import exp
from time import perf_counter
from typing import Any, Literal

import numpy as np
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as tensor_bytes

from mini_bert.core.arena import Arena
from mini_bert.core.functions.dropout import Noise
from mini_bert.models.checkpoint import CONFIG, WEIGHTS, fill
from mini_bert.models.mini import MiniBERT
from mini_bert.training.averaging import EMA
from mini_bert.training.budget import Budget, Spent
from mini_bert.training.checkpoints import Checkpoint, Checkpoints
from mini_bert.training.clipping import AdaptiveClipping, clipping_scale
from mini_bert.training.config import TrainingConfig
from mini_bert.training.facts import facts_of
from mini_bert.training.guard import Guard, culprits
from mini_bert.training.inspection import Inspector
from mini_bert.training.materials import Materials, masking_of, optimizer_of
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import MetricsFile, RunFolder
from mini_bert.training.schedules import BatchRamp, MaskingSchedule, Schedule
from mini_bert.training.step import TrainingStep
from mini_bert.training.stream import MaskedStream
from mini_bert.training.validation import Score, exam_of, examine

MOMENTS, STATE, TOKENIZER = "moments.safetensors", "state.json", "tokenizer.json"

Ending = Literal["finished", "interrupted"]


@dataclass
class Window:
    """Sums over the steps since metrics were last written."""

    steps: int = 0
    loss: float = 0.0
    accuracy: float = 0.0
    norm: float = 0.0
    tokens: int = 0
    seconds: float = 0.0


@dataclass
class Progress:
    """Where a run stands: all plain numbers of a checkpoint."""

    spent: Spent = field(default_factory=Spent)
    window: Window = field(default_factory=Window)
    best: float | None = None
    skipped: int = 0


class Trainer:
    """A run: `Trainer(config, folder, materials, team).run()`, and again after `resume()`.

    `listen(metrics)` is called after every step with what is known then. `stop()` may be called at any time, from a
    signal handler or another thread: the step is finished, a checkpoint saved, and `run` returns.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        materials: Materials,
        team: Team,
        model: MiniBERT | None = None,
        listen: Callable[[dict[str, Any]], None] = lambda metrics: None,
    ) -> None:
        self.config, self.folder, self.materials, self.team, self.listen = (
            config,
            folder,
            materials,
            team,
            listen,
        )
        tokenizer = materials.tokenizer
        self.model = model or MiniBERT(
            config.model_config_of(tokenizer.vocab_size), seed=config.seed, dtype=config.dtype
        )
        self.budget = Budget(config.budget)
        self.schedule = Schedule(**config.schedule.model_dump())
        self.optimizer = optimizer_of(config, self.model)
        self.ema = EMA(self.model.arena, config.averaging.decay) if config.averaging.kind == "ema" else None
        self.clipping = AdaptiveClipping(self.model.arena, config.clipping.factor)
        self.stream = MaskedStream(
            materials.rows,
            masking_of(config, tokenizer),
            self.masked_words(0.0),
            config.batch.size,
            config.seed,
            np.array(tokenizer.starts_word()) if config.masking.kind == "whole-words" else None,
            static=config.masking.static,
        )
        self.exam = exam_of(materials.held_out, tokenizer, config.logging.exam_rows)
        self.inspector = Inspector(self.model, tokenizer)
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
            self.folder.write_facts(facts_of(self.model, self.materials, self.exam, self.team.size))
        with self.folder.open_metrics() as metrics:
            while self.budget.share(self.progress.spent) < 1:
                if self.stopping:
                    self.save()
                    return "interrupted"
                self.one_step(metrics)
            self.finish(metrics)
        return "finished"

    def finish(self, metrics: MetricsFile) -> None:
        """A last look at held-out text, and a last checkpoint, unless both were made at this very step."""
        newest = self.checkpoints.newest()
        if newest is None or newest.step < self.progress.spent.steps:
            score = self.evaluate()
            self.log(metrics, self.optimizer.learning_rate, self.config.batch.size, score)
            self.save(is_best=self.is_best(score))

    def one_step(self, metrics: MetricsFile) -> None:
        start, spent, window = perf_counter(), self.progress.spent, self.progress.window
        batch_size, done = self.next_step()
        batch = self.stream.take(batch_size, self.masked_words(done))
        noise = Noise(self.config.seed, spent.steps) if self.has_dropout else None
        result = self.work.gradients(batch, self.config.batch.micro, noise)
        rate = self.config.optimizer.learning_rate * self.schedule(done)
        is_inspected = (spent.steps + 1) % self.config.logging.inspect_every == 0
        before = self.inspector.before(result.grads) if is_inspected else None
        self.learn(result.grads, result.loss, self.work.norm, rate)
        inspection = self.inspector.after(before, batch) if before else None
        spent.steps += 1
        spent.tokens += batch.ids.size
        seconds = perf_counter() - start
        spent.seconds += seconds
        window.steps += 1
        window.loss += result.loss
        window.accuracy += result.accuracy
        window.norm += self.work.norm
        window.tokens += batch.ids.size
        window.seconds += seconds
        now = {"step": spent.steps, "loss": result.loss, "accuracy": result.accuracy, "learning_rate": rate}
        pace = batch.ids.size / max(seconds, 1e-9)
        self.listen(
            now
            | {
                "gradient_norm": self.work.norm,
                "tokens": spent.tokens,
                "tokens_per_second": pace,
                "done": self.done,
            }
        )
        self.keep_account(metrics, rate, batch_size, inspection)

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
        share = (
            masking.share
            if masking.final_share is None
            else MaskingSchedule(masking.share, masking.final_share)(done)
        )
        return max(1, round(share * self.materials.rows.T))

    @property
    def has_dropout(self) -> bool:
        return self.model.config.dropout > 0 or self.model.config.attention_dropout > 0

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
        self.listen({"step": step, "trouble": told, "action": action})
        if action == "stop":
            raise TrainingStopped(
                f"{told}; the last checkpoint is from before it. Lower optimizer.learning_rate, or let such steps"
                " be skipped (--set guard.non_finite=skip, guard.spikes=skip)"
            )

    def keep_account(
        self, metrics: MetricsFile, rate: float, batch_size: int, inspection: dict[str, Any] | None
    ) -> None:
        """Write metrics, look at held-out text and save, each when its time has come."""
        step, logging = self.progress.spent.steps, self.config.logging
        evaluated = None
        if step % logging.evaluate_every == 0:
            evaluated = self.evaluate()
        if step % logging.every == 0 or evaluated or inspection:
            self.log(metrics, rate, batch_size, evaluated, inspection)
        if step % self.config.saving.every == 0:
            self.save(is_best=evaluated is not None and self.is_best(evaluated))

    def log(
        self,
        metrics: MetricsFile,
        rate: float,
        batch_size: int,
        score: Score | None,
        inspection: dict[str, Any] | None = None,
    ) -> None:
        """One line: means over the steps since the last one."""
        spent, window = self.progress.spent, self.progress.window
        n = max(1, window.steps)
        line: dict[str, Any] = {
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
        if score:
            line |= {f"held_out_{name}": value for name, value in score._asdict().items()}
        if inspection:
            line["inspection"] = inspection
        metrics.write(line)
        self.progress.window = Window()

    def evaluate(self) -> Score:
        """The score on held-out text, by the averaged weights if there are any."""
        start = perf_counter()
        if self.ema:
            with self.ema.swapped():
                score = examine(self.model.network, self.model.arena, self.exam, self.team)
        else:
            score = examine(self.model.network, self.model.arena, self.exam, self.team)
        self.progress.spent.seconds += perf_counter() - start
        return score

    def is_best(self, score: Score) -> bool:
        """Whether no earlier score was as good; if so, this is the one to beat from now on."""
        if self.progress.best is not None and score.loss >= self.progress.best:
            return False
        self.progress.best = score.loss
        return True

    def save(self, *, is_best: bool = False) -> None:
        """Write a checkpoint: everything that decides what comes next."""
        start = perf_counter()
        config = json.dumps(self.model.config.model_dump(), indent=2)
        moments = {
            f"{group}/{name}": view for group, arena in self.moments().items() for name, view in arena.items()
        }
        files = {
            CONFIG: config.encode(),
            WEIGHTS: tensor_bytes(dict(self.model.arena), {"config": config}),
            MOMENTS: tensor_bytes(moments),
            STATE: json.dumps(self.state(), indent=1).encode(),
            TOKENIZER: json.dumps(self.materials.tokenizer.to_json(), ensure_ascii=False).encode(),
        }
        self.checkpoints.save(self.progress.spent.steps, files, is_best=is_best)
        self.progress.spent.seconds += perf_counter() - start

    def moments(self) -> dict[str, Arena]:
        return {**self.optimizer.moments(), **(self.ema.moments() if self.ema else {})}

    def state(self) -> dict[str, Any]:
        return {
            "progress": asdict(self.progress),
            "optimizer": self.optimizer.state(),
            "ema": self.ema.state() if self.ema else None,
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
        fill(self.model.arena, read_tensors(checkpoint.read(WEIGHTS)), checkpoint.folder / WEIGHTS)
        saved = read_tensors(checkpoint.read(MOMENTS))
        for group, arena in self.moments().items():
            views = {name: saved[f"{group}/{name}"] for name in arena}
            fill(arena, views, checkpoint.folder / MOMENTS)
        state = json.loads(checkpoint.read(STATE))
        progress = state["progress"]
        self.progress = Progress(
            Spent(**progress["spent"]), Window(**progress["window"]), progress["best"], progress["skipped"]
        )
        self.optimizer.load_state(state["optimizer"])
        if self.ema:
            self.ema.load_state(state["ema"])
        self.stream.resume(state["stream"])
        self.guard.load_state(state["guard"])
        self.inspector.load_state(state["inspector"])


class TrainingStopped(Exception):
    """The guard ended the run: the message says why, and what to do."""
