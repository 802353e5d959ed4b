"""One step that was inspected and saved: what sound code makes of the same weights, moments and rows.

Here a figure is exact but for rounding. A loss or a gradient can only be compared with that of other batches.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.diagnosis.curves import Line
from mini_bert.diagnosis.figures import Figure, Figures
from mini_bert.diagnosis.inside import is_whole, norm_of_change
from mini_bert.diagnosis.parts import AcrossQueries, exchange_attention
from mini_bert.training.budget import Spent
from mini_bert.training.inspection import Inspector
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.optimizers import AdamW
from mini_bert.training.trainer import Trainer

UNTIL_CORRECTION_ENDS = 10**9
"""Steps, after which 1 − βᵗ is 1: an optimizer that believes itself there does not correct its moments."""
LOST_IN_ROUNDING = 0.05
SHARES_OF_A_BATCH = ("asked", "hidden", "kept", "unknown", "padding")


@dataclass
class InspectedStep:
    """A sound trainer that stands where the run stood after a step, and the line with its inspection."""

    trainer: Trainer
    line: Line

    def of_attention(self) -> Figures:
        """Attention by head on the rows that were inspected, by sound code and with softmax over the queries."""
        batch, logged = self.batch(), self.line["inspection"]["attention_entropy"]
        if batch is None or any(head is None for layer in logged for head in layer):
            return {}
        across_queries = copy(self.trainer.model)
        exchange_attention(across_queries, AcrossQueries)
        found = {}
        for name, model in (
            ("replayed_attention", self.trainer.model),
            ("turned_attention", across_queries),
        ):
            entropy = Inspector(model, self.trainer.materials.tokenizer).activity(batch)["attention_entropy"]
            found[name] = Figure(largest_difference(logged, entropy), self.line["step"])
        return found

    def batch(self) -> MaskedBatch | None:
        """The rows of that step, masked as they were; None if sound code shows others than were inspected."""
        trainer, size = self.trainer, self.line["batch_size"]
        stream, spent = trainer.stream.latest, trainer.progress.spent
        tokens = size * stream.rows.T
        pace = spent.seconds / max(spent.steps, 1)
        before = Spent(spent.steps - 1, spent.tokens - tokens, spent.seconds - pace)
        done = trainer.budget.middle_of_next_step(
            before, trainer.config.batch.size * trainer.materials.rows.T, pace
        )
        curriculum = stream.curriculum
        if curriculum and done < curriculum.until and trainer.config.budget.minutes is not None:
            return None  # which rows were open is a matter of moments
        k = round(self.line["masked_share"] * stream.rows.T)
        batch = stream.batch(stream.next_row - size, size, k, done)
        shown = Inspector(trainer.model, trainer.materials.tokenizer).data(batch)
        logged = self.line["inspection"]["data"]
        return batch if all(abs(shown[name] - logged[name]) < 1e-9 for name in SHARES_OF_A_BATCH) else None

    def of_update(self) -> Figures:
        """The change of the weights, beside the one that AdamW's moments call for, with and without correction.

        Muon is made from AdamW, but its moments do not tell its step: that holds the gradient too.
        """
        optimizer, inspection = self.trainer.optimizer, self.line["inspection"]
        if type(optimizer) is not AdamW or not is_whole(inspection) or self.was_skipped:
            return {}
        uncorrected = copy(optimizer)
        uncorrected.steps = UNTIL_CORRECTION_ENDS
        found = {}
        for name, kind in (("replayed_update", optimizer), ("uncorrected_update", uncorrected)):
            expected = last_change(kind)
            if expected is None:
                return {}
            found[name] = Figure(norm_of_change(inspection["layers"]) / expected, self.line["step"])
        return found

    @property
    def was_skipped(self) -> bool:
        start = f"step {self.line['step']}:"
        return any(
            told.startswith(start) and told.endswith("(skip)") for told in self.line.get("troubles", ())
        )


def last_change(optimizer: AdamW) -> float | None:
    """‖Δw‖ of the step that led to these weights and moments; None if rounding has swallowed much of it.

    w ← (1 − c) w − s, with the decay c and the step s, has come from (w + s) / (1 − c).
    """
    params, squares = optimizer.params.flat, 0.0
    for block in optimizer.blocks:
        rate = optimizer.learning_rate * block.rate
        decay = rate * optimizer.weight_decay if block.decays else 0.0
        if decay >= 1:
            return None
        change: Array = np.empty(block.size, params.dtype)
        change *= optimizer.direction(block.at, out=change)
        change *= rate
        change += decay * params[block.at]
        change /= 1 - decay
        squares += float(np.dot(change, change))
    rounding = float(np.finfo(params.dtype).eps) * float(np.linalg.norm(params))
    return sqrt(squares) if rounding < LOST_IN_ROUNDING * sqrt(squares) else None


def largest_difference(one: list[list[float]], other: list[list[float]]) -> float:
    return max(abs(a - b) for pair in zip(one, other, strict=True) for a, b in zip(*pair, strict=True))
