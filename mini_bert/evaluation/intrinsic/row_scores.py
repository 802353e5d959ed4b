"""How well hidden words are found, row by row, so that two models can be compared on the same rows.

    difference = Σ_rows (one − base) / Σ_rows asked

The questions are the same, so what makes rows hard or easy falls out of the difference. Its interval is that of a mean
over whole rows (`clustered.ratio`): it tells what other text of this kind would say of the same two models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.clustered import ratio
from mini_bert.metrics.perplexity import perplexity_of_loss

Measure = Literal["loss", "found"]


@dataclass(frozen=True)
class RowScores:
    """Of R rows, each (R,): how many words were asked for, how many were found, and the sum of −ln p(word)."""

    asked: Array
    found: Array
    loss: Array

    @classmethod
    def of(cls, row: Array, right: Array, log_prob: Array, rows: int) -> RowScores:
        """From answers (n,): the row of each, whether it is right, and ln p(word)."""
        return cls(
            np.bincount(row, minlength=rows),
            np.bincount(row, weights=right, minlength=rows).astype(np.int64),
            np.bincount(row, weights=-log_prob, minlength=rows),
        )

    @classmethod
    def joined(cls, parts: list[RowScores]) -> RowScores:
        return cls(
            *(np.concatenate([getattr(one, name) for one in parts]) for name in ("asked", "found", "loss"))
        )


def score(rows: RowScores, measure: Measure) -> Estimate:
    """The mean of −ln p(word), or the share of words found, with its interval over rows."""
    return ratio(getattr(rows, measure), rows.asked)


def perplexity(rows: RowScores) -> float:
    return perplexity_of_loss(score(rows, "loss").value)


def difference(one: RowScores, base: RowScores, measure: Measure) -> Estimate:
    return ratio(getattr(one, measure) - getattr(base, measure), base.asked)
