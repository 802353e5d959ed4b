"""What was said of each hidden word: by a model, or by counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from mini_bert.core.array import Array


@dataclass(frozen=True)
class Answers:
    """Of n questions, each (n,): ln p(word), the word's rank among all guesses, and p of the first guess.

    Rank 1 is the first guess; of two that are equally probable, the one with the lower id comes first, as in `argmax`.
    """

    log_prob: Array
    rank: Array
    confidence: Array

    @property
    def right(self) -> Array:
        right: Array = self.rank == 1
        return right

    def among(self, first: int) -> Array:
        among: Array = self.rank <= first
        return among

    def at(self, chosen: Array) -> Answers:
        return Answers(self.log_prob[chosen], self.rank[chosen], self.confidence[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Answers:
        return Answers(
            np.concatenate([part.log_prob for part in parts]),
            np.concatenate([part.rank for part in parts]),
            np.concatenate([part.confidence for part in parts]),
        )


def judged(logits: Array, labels: Array) -> Answers:
    """Answers from logits, or from ln p, of every word (n, V), and the right words (n,)."""
    highest = logits.max(axis=1, keepdims=True)
    if np.isnan(highest).any():
        raise ValueError(
            "logits: some are NaN, and no word ranks among those; take weights that are all finite"
        )
    of_word = np.take_along_axis(logits, labels[:, None], 1)
    rank = 1 + np.count_nonzero(logits > of_word, axis=1)
    as_probable = np.count_nonzero(logits == of_word, axis=1)
    for tied in np.flatnonzero(as_probable > 1).tolist():
        rank[tied] += np.count_nonzero(logits[tied, : labels[tied]] == of_word[tied])
    above = np.exp(logits - highest)
    log_sum = np.log(above.sum(axis=1, dtype=np.float64))
    return Answers((of_word - highest)[:, 0].astype(np.float64) - log_sum, rank, np.exp(-log_sum))
