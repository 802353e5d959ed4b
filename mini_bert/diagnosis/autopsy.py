"""The autopsy: checkpoints in sound code, on the run's own text. What differs from the log was done otherwise.

The same text, weights and moments give the same loss, gradients, attention and update, but for rounding. So where
a logged number and the recomputed one part, the run did something else than the trainer of this package does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import fmean

import numpy as np

from mini_bert.core.array import Array
from mini_bert.diagnosis.curves import Line
from mini_bert.diagnosis.figures import Figure, Figures
from mini_bert.diagnosis.inside import ENOUGH_ASKED
from mini_bert.diagnosis.inspected_step import InspectedStep
from mini_bert.models.mini import MiniBERT
from mini_bert.training.checkpoints import Checkpoint, Checkpoints
from mini_bert.training.config import TrainingConfig
from mini_bert.training.materials import materials
from mini_bert.training.objectives import MaskedBatch, masked_word_loss
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer

REPLAYED_BATCHES = 8
EXAM_ROWS = 128


def autopsy(
    run: RunFolder, config: TrainingConfig, lines: Sequence[Line], go_on: Callable[[], None] = lambda: None
) -> tuple[Figures, list[str]]:
    """Figures and notes; ValueError says why there can be none: the text is gone or another, or no checkpoint."""
    go_on()
    made = materials(config, run.tokenizer)
    go_on()
    with Team(1) as team:
        trainer = Trainer(config, run, made, team)
        saved = sound_checkpoints(trainer.checkpoints, go_on)
        if not saved:
            raise ValueError(f"{run.checkpoints}: no checkpoint to look into")
        load(trainer, saved[0])
        found = Autopsy(
            trainer, saved[0], [line for line in lines if line["step"] <= saved[0].step], go_on
        ).figures()
        inspected = {line["step"]: line for line in lines if line.get("inspection")}
        steps = [(entry, inspected[entry.step]) for entry in saved if entry.step in inspected]
        return found | of_inspected_steps(trainer, steps, go_on), notes_on(steps)


def sound_checkpoints(checkpoints: Checkpoints, go_on: Callable[[], None]) -> list[Checkpoint]:
    """One for each step that was saved, the newest first."""
    found = {}
    for step, folder in checkpoints.candidates():
        go_on()
        if checkpoints.fault_of(folder) is None:
            found[step] = Checkpoint(folder, step)
    return [found[step] for step in sorted(found, reverse=True)]


def load(trainer: Trainer, checkpoint: Checkpoint) -> None:
    try:
        trainer.load(checkpoint)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{checkpoint.folder}: saved by another version ({error})") from None


def of_inspected_steps(
    trainer: Trainer, steps: Sequence[tuple[Checkpoint, Line]], go_on: Callable[[], None]
) -> Figures:
    """Attention and update of the newest that tells of them.

    Of updates without bias correction, the one that fits least: it must fit at every step, for the missing factor
    falls as the steps go on.
    """
    found: Figures = {}
    for checkpoint, line in steps:
        go_on()
        load(trainer, checkpoint)
        step = InspectedStep(trainer, line)
        if "replayed_attention" not in found:
            found |= step.of_attention()
        updates = step.of_update()
        if "replayed_update" not in found:
            found |= updates
        elif updates:
            both = found["uncorrected_update"], updates["uncorrected_update"]
            found["uncorrected_update"] = max(both, key=lambda figure: abs(log(max(figure.value, 1e-30))))
    return found


def notes_on(steps: Sequence[tuple[Checkpoint, Line]]) -> list[str]:
    if steps:
        return []
    return [
        "no step that was inspected has a checkpoint: its attention and its update are not recomputed"
        " (let saving.every be a multiple of logging.inspect_every)"
    ]


@dataclass
class Autopsy:
    """A sound trainer that stands where the run stood when it was saved, and the log up to there."""

    trainer: Trainer
    checkpoint: Checkpoint
    lines: list[Line]
    go_on: Callable[[], None]

    def figures(self) -> Figures:
        found: Figures = {}
        for part in (self.of_shifts, self.of_sizes, self.of_exam, self.of_replay):
            self.go_on()
            found |= part()
        return found

    def of_exam(self) -> Figures:
        """The loss on held-out text, if it was measured at this very step: the same words, so the same loss."""
        for line in self.lines:
            if line["step"] == self.checkpoint.step and line.get("held_out_loss") is not None:
                loss = self.trainer.evaluate()["held_out_loss"]
                return {"replayed_exam": Figure(loss - line["held_out_loss"], self.checkpoint.step)}
        return {}

    def of_replay(self) -> Figures:
        """The loss and the gradient of the batches that come next, beside those of the last ones without trouble."""
        known = [line for line in self.lines if is_sound(line)]
        if not known:
            return {}
        last, losses, norms, asked = known[-1], [], [], 0
        for _ in range(REPLAYED_BATCHES):
            self.go_on()
            batch = self.next_batch()
            found = self.trainer.work.gradients(batch, self.trainer.micro_batch(batch), self.trainer.noise)
            losses.append(found.loss)
            norms.append(self.trainer.work.norm)
            asked += int((batch.weights > 0).sum())
        if asked < ENOUGH_ASKED:
            return {}
        return {
            "replayed_loss": Figure(fmean(losses) - last["loss"], last["step"]),
            "replayed_norm": Figure(last["gradient_norm"] / max(fmean(norms), 1e-30), last["step"]),
        }

    def next_batch(self) -> MaskedBatch:
        size, done = self.trainer.next_step()
        return self.trainer.stream.take(size, self.trainer.masked_words(done), done)

    def of_sizes(self) -> Figures:
        """How the matrices of the encoder have grown since the first step; they began where this seed begins."""
        model = self.trainer.model
        if self.trainer.config.init:
            return {}
        first = MiniBERT(model.config, seed=self.trainer.config.seed, dtype=model.dtype).arena
        names = [name for name in first if is_encoder_matrix(name)]
        now, then = (
            sqrt(sum(float((arena[name] ** 2).sum()) for name in names)) for arena in (model.arena, first)
        )
        return {"size": Figure(now / then, self.checkpoint.step)}

    def of_shifts(self) -> Figures:
        """Does the model find the neighbours of the words it is asked for, better than these?"""
        exam = self.trainer.exams["held_out"].rows(0, EXAM_ROWS)
        _, trace = masked_word_loss(self.trainer.model.network, self.trainer.model.arena, exam)
        guesses, text = trace["word_probs"].argmax(-1), exam.ids.copy()
        np.put_along_axis(text, exam.positions, exam.labels, 1)
        at_place = accuracy_at(0, guesses, text, exam)
        best = max((-1, 1), key=lambda offset: accuracy_at(offset, guesses, text, exam))
        gain = accuracy_at(best, guesses, text, exam) - at_place
        return {"shifted": Figure(gain, self.checkpoint.step, f"{best:+d}")}


def is_sound(line: Line) -> bool:
    """Whether its means are of steps that were all taken: one spike is enough to spoil the mean of the norm."""
    return line["loss"] is not None and line["gradient_norm"] is not None and not line.get("troubles")


def accuracy_at(offset: int, guesses: Array, text: Array, exam: MaskedBatch) -> float:
    """How often the guess is the word so many places after the one that is asked for."""
    places = exam.positions + offset
    counts = (places >= 0) & (places < text.shape[1]) & (exam.weights > 0)
    words = np.take_along_axis(text, np.clip(places, 0, text.shape[1] - 1), 1)
    return float((guesses == words)[counts].mean())


def is_encoder_matrix(name: str) -> bool:
    return name.startswith("encoder.") and name.endswith(".weight") and ".norm." not in name
