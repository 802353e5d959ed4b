"""Where a run stands: all its parts, as its configuration says, saved so that it can go on from anywhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

from mini_bert.core.arena import Arena
from mini_bert.models.mini import MiniBERT
from mini_bert.settings import merged
from mini_bert.training.adaptive_masking import AdaptiveShare
from mini_bert.training.assembly import exams_of, optimizer_of, stream_of
from mini_bert.training.averaging import EMA
from mini_bert.training.budget import Budget
from mini_bert.training.changes import changed
from mini_bert.training.checkpoints import Checkpoint, Checkpoints, checksum
from mini_bert.training.clipping import AdaptiveClipping
from mini_bert.training.cluster.loading import read_for_all
from mini_bert.training.cluster.optimizer_share import OptimizerShare
from mini_bert.training.cluster.ranks import Alone, Ranks
from mini_bert.training.config import TrainingConfig
from mini_bert.training.goals import goal_of
from mini_bert.training.guard import Guard
from mini_bert.training.inspection import Inspector
from mini_bert.training.lost_checkpoints import begun_anew, refuse_lost_checkpoints
from mini_bert.training.materials import Materials
from mini_bert.training.parallel import Team
from mini_bert.training.progress import Metrics, Progress
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.saving import write_checkpoint
from mini_bert.training.schedules import MaskingSchedule, Schedule
from mini_bert.training.step import TrainingStep
from mini_bert.training.validation import HELD_OUT, questions_of


class Standing:
    """The parts of a run, before the first step or wherever it was saved; see `Trainer`."""

    def __init__(
        self,
        config: TrainingConfig,
        folder: RunFolder,
        materials: Materials,
        team: Team,
        model: MiniBERT | None = None,
        listen: Callable[[Metrics], None] = lambda metrics: None,
        ranks: Ranks | None = None,
    ) -> None:
        self.config, self.folder, self.materials, self.team = config, folder, materials, team
        self.listen, self.ranks = listen, ranks or Alone()
        self.model = model or MiniBERT(
            config.model_config_of(materials.tokenizer), seed=config.seed, dtype=config.dtype
        )
        self.budget = Budget(config.budget)
        self.schedule = Schedule(**config.schedule.model_dump())
        self.optimizer = optimizer_of(config, self.model)
        self.highest_rate = self.optimizer.learning_rate
        sharded = config.cluster.shard_optimizer
        self.updating = OptimizerShare(self.optimizer, team, self.ranks, sharded=sharded)
        self.ema = EMA(self.model.arena, config.averaging.decay) if config.averaging.kind == "ema" else None
        self.clipping = AdaptiveClipping(self.model.arena, config.clipping.factor)
        self.adaptive = AdaptiveShare(config.masking.share) if config.masking.adaptive else None
        self.goal = goal_of(config, materials.tokenizer)
        self.stream = stream_of(config, materials, self.goal, self.masked_share(0.0))
        self.exams = exams_of(config, materials, self.goal)
        self.questions = questions_of(self.exams[HELD_OUT])
        self.inspector = Inspector(self.model, materials.tokenizer)
        self.work = TrainingStep(
            self.model.network,
            self.model.arena,
            team,
            self.goal.objective,
            self.ranks,
            overlap=config.cluster.overlap,
        )
        self.guard = Guard(config.guard.z_score)
        self.checkpoints = Checkpoints(folder.checkpoints, config.saving.keep)
        self.progress = Progress()
        self.saved_step: int | None = None
        self.resumed_from: Checkpoint | None = None
        self.passed_over: dict[Path, str] = {}
        self.stopping = False

    @property
    def done(self) -> float:
        """The share of the budget that is used up."""
        return min(1.0, self.budget.share(self.progress.spent))

    def what_is_saved(self) -> str:
        step = self.saved_step
        return "no checkpoint was written yet" if step is None else f"the checkpoint of step {step} is whole"

    def masked_share(self, done: float) -> float:
        """How large a share of the words is asked for."""
        masking = self.config.masking
        share = self.adaptive.value if self.adaptive else masking.share
        if masking.final_share is not None:
            share = MaskingSchedule(masking.share, masking.final_share)(done)
        return share

    def save(self, *, is_best: bool = False) -> None:
        """Write a checkpoint: everything that decides what comes next. Its model has the averaged weights, if any."""
        if self.saved_step == self.progress.spent.steps:
            return
        start, step = perf_counter(), self.progress.spent.steps
        self.ranks.refuse_different(
            lambda: {f"state of the weights at step {step}": checksum(self.model.arena.flat.data)},
            f"{self.what_is_saved()}; look for faulty memory, or processors that round differently",
        )
        moments = {**self.updating.moments(), **self.averages()}

        def write() -> None:
            with self.ema.swapped() if self.ema else nullcontext():
                files = write_checkpoint(self.model, self.materials.tokenizer, moments, self.state())
            self.checkpoints.save(step, files, is_best=is_best)

        self.ranks.lead(write)
        self.saved_step = step
        self.progress.uncounted += perf_counter() - start

    def averages(self) -> dict[str, Arena]:
        return self.ema.moments() if self.ema else {}

    def moments(self) -> dict[str, Arena]:
        return {**self.optimizer.moments(), **self.averages()}

    def state(self) -> Metrics:
        return {
            "progress": asdict(self.progress),
            "settings": self.config.model_dump(),
            "optimizer": self.optimizer.state(),
            "ema": self.ema.state() if self.ema else None,
            "adaptive": self.adaptive.state() if self.adaptive else None,
            "stream": self.stream.state(),
            "guard": self.guard.state(),
            "inspector": self.inspector.state(),
            "objective": self.goal.objective.state(),
            "questions": self.questions,
        }

    def resume(self) -> Checkpoint | None:
        """Go on from the newest sound checkpoint; None if there is none, and the run starts over.

        `passed_over` names newer ones that could not be used; the one that was is saved again in their place.
        """
        found = self.ranks.lead(self.sound_checkpoint)
        damaged = {Path(path): fault for path, fault in self.ranks.first(self.faults()).items()}
        step = self.ranks.first(found.step if found else None)
        if step is not None:
            found = found or Checkpoint(self.checkpoints.folder, step)
            self.load(found)
        self.folder.forget_after(step or 0)
        self.resumed_from, self.passed_over = found, damaged
        if damaged:
            self.saved_step = None
            self.save()
        return found

    def sound_checkpoint(self) -> Checkpoint | None:
        """The newest one; None if there never was any, and ValueError if none is sound, or all are gone."""
        found = self.checkpoints.newest()
        if found is None and self.checkpoints.damaged:
            told = "; ".join(f"{folder}: {fault}" for folder, fault in self.faults().items())
            raise ValueError(
                f"{told}; no other checkpoint is left. Restore one, or {begun_anew(self.folder)}"
            )
        if found is None:
            refuse_lost_checkpoints(self.folder, self.config.saving.every, self.goal.objective.judged_by)
        return found

    def faults(self) -> dict[str, str]:
        """What is wrong with checkpoints that were passed over, by their folder."""
        return {str(folder): fault for folder, fault in self.checkpoints.damaged.items()}

    def load(self, checkpoint: Checkpoint) -> None:
        stretches = dict.fromkeys(self.optimizer.moments(), self.updating.own)
        state = read_for_all(self.ranks, checkpoint, self.model, self.moments(), stretches)
        has_best = self.ranks.first(self.ranks.lead(lambda: self.checkpoints.best() is not None))
        self.ranks.agreed(lambda: self.load_state(state))
        if not has_best:
            self.progress.best = None
        self.saved_step = checkpoint.step

    def load_state(self, state: Metrics) -> None:
        """Stand where `state` was; ValueError if it belongs to other text, or to another teacher."""
        if state.get("objective", {}) != self.goal.objective.state():
            raise ValueError(
                f"{self.config.distillation.teacher}: not the teacher that the run in {self.folder.path} learned from;"
                " put its old weights back, or name another in distillation.teacher of config.yaml and begin anew"
            )
        self.progress = Progress.read(state["progress"])
        self.note_changes(state.get("settings", {}))
        if state.get("questions") != self.questions:
            self.progress.best = None
        self.optimizer.load_state(state["optimizer"])
        if self.ema:
            self.ema.swap()
            self.ema.load_state(state["ema"])
        if self.adaptive and state["adaptive"]:
            self.adaptive.load_state(state["adaptive"])
        self.stream.resume(state["stream"])
        self.guard.load_state(state["guard"])
        self.inspector.load_state(state["inspector"])

    def note_changes(self, saved: Metrics) -> None:
        """What is set otherwise from here on than the checkpoint was saved with; an old one does not say."""
        defaults, spent = TrainingConfig().model_dump(), self.progress.spent
        if saved and (found := changed(merged(defaults, saved), self.config.model_dump())):
            self.progress.changes.append({"step": spent.steps, "tokens": spent.tokens, **found})
