"""The autopsy: the last checkpoint in sound code, on the run's own text. What differs from the log was done otherwise.

The same text, weights and moments give the same loss, gradients, attention and update, but for rounding. So where
a logged number and the recomputed one part, the run did something else than the trainer of this package does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.diagnosis.curves import Line, number
from mini_bert.diagnosis.figures import Figure, Figures
from mini_bert.diagnosis.inside import norm_of_change
from mini_bert.diagnosis.museum.in_models import softmax_across_queries
from mini_bert.models.mini import MiniBERT
from mini_bert.training.checkpoints import Checkpoint
from mini_bert.training.config import TrainingConfig
from mini_bert.training.inspection import Inspector
from mini_bert.training.materials import materials
from mini_bert.training.objectives import MaskedBatch, masked_word_loss
from mini_bert.training.optimizers import AdamW
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer

REPLAYED_BATCHES = 8
EXAM_ROWS = 128


def autopsy(run: RunFolder, config: TrainingConfig, lines: Sequence[Line]) -> Figures:
    """ValueError says why there can be none: the text is gone or another, or no checkpoint is whole."""
    made = materials(config, run.tokenizer)
    with Team(1) as team:
        trainer = Trainer(config, run, made, team)
        found = trainer.checkpoints.newest()
        if found is None:
            raise ValueError(f"{run.checkpoints}: no checkpoint to look into")
        try:
            trainer.load(found)
        except (KeyError, json.JSONDecodeError) as error:
            raise ValueError(f"{found.folder}: saved by another version ({error})") from None
        return Autopsy(trainer, found, [line for line in lines if line["step"] <= found.step]).figures()


@dataclass
class Autopsy:
    """A sound trainer that stands where the run stood when it was saved, and the log up to there."""

    trainer: Trainer
    checkpoint: Checkpoint
    lines: list[Line]

    def figures(self) -> Figures:
        if not self.lines:
            return {}
        found = self.of_shifts() | self.of_sizes()
        for line in self.lines:
            if line["step"] == self.checkpoint.step and line.get("inspection"):
                found |= self.of_attention(line) | self.of_update(line["inspection"])
        return found | self.of_replay()

    def of_replay(self) -> Figures:
        """The loss and the gradient of the batches that come next, beside those of the last ones."""
        last = self.lines[-1]
        logged_loss, logged_norm = number(last["loss"]), number(last["gradient_norm"])
        losses, norms = [], []
        for _ in range(REPLAYED_BATCHES):
            found = self.trainer.work.gradients(
                self.next_batch(), self.trainer.config.batch.micro, self.trainer.noise
            )
            losses.append(found.loss)
            norms.append(self.trainer.work.norm)
        step = last["step"]
        return {
            "replayed_loss": Figure(fmean(losses) - logged_loss, step),
            "replayed_norm": Figure(logged_norm / max(fmean(norms), 1e-30), step),
        }

    def next_batch(self) -> MaskedBatch:
        size, done = self.trainer.next_step()
        return self.trainer.stream.take(size, self.trainer.masked_words(done), done)

    def of_attention(self, line: Line) -> Figures:
        """Attention by head on the rows that were inspected, by sound code and with softmax over the queries."""
        stream, size = self.trainer.stream, line["batch_size"]
        _, done = self.trainer.next_step()
        batch = stream.batch(stream.next_row - size, size, self.trainer.masked_words(done), done)
        turned = copy(self.trainer.model)
        softmax_across_queries(turned)
        logged = line["inspection"]["attention_entropy"]
        if any(head is None for layer in logged for head in layer):
            return {}
        found = {}
        for name, model in (("replayed_attention", self.trainer.model), ("turned_attention", turned)):
            entropy = Inspector(model, self.trainer.materials.tokenizer).activity(batch)["attention_entropy"]
            found[name] = Figure(largest_difference(logged, entropy), self.checkpoint.step)
        return found

    def of_update(self, inspection: dict[str, Any]) -> Figures:
        """The last change of the weights, beside the one that AdamW's moments call for."""
        optimizer = self.trainer.optimizer
        if not isinstance(optimizer, AdamW):
            return {}
        squares = 0.0
        for block in optimizer.blocks:
            change: Array = np.empty(block.size, optimizer.params.flat.dtype)
            change *= optimizer.direction(block.at, out=change)
            if block.decays:
                change += optimizer.weight_decay * optimizer.params.flat[block.at]
            change *= optimizer.learning_rate * block.rate
            squares += float(np.dot(change, change))
        ratio = norm_of_change(inspection["layers"]) / max(sqrt(squares), 1e-30)
        return {"replayed_update": Figure(ratio, self.checkpoint.step)}

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


def accuracy_at(offset: int, guesses: Array, text: Array, exam: MaskedBatch) -> float:
    """How often the guess is the word so many places after the one that is asked for."""
    places = exam.positions + offset
    counts = (places >= 0) & (places < text.shape[1]) & (exam.weights > 0)
    words = np.take_along_axis(text, np.clip(places, 0, text.shape[1] - 1), 1)
    return float((guesses == words)[counts].mean())


def is_encoder_matrix(name: str) -> bool:
    return name.startswith("encoder.") and name.endswith(".weight") and ".norm." not in name


def largest_difference(one: list[list[float]], other: list[list[float]]) -> float:
    return max(abs(a - b) for pair in zip(one, other, strict=True) for a, b in zip(*pair, strict=True))
