"""Ratios with intervals, where examples come in sentences and probes in seeds.

A ratio is Σ over / Σ under, summed over examples. Its interval is of what would come out for other sentences and other
seeds: both are drawn again, with repetitions, a thousand times (Efron 1979). Examples are not drawn one by one, as
those of a sentence are alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.probing.resampling import drawn_again

MOST_GROUPS = 2000
"""Where there are more sentences, neighbours are drawn together."""


class Ratio(NamedTuple):
    """The mean over seeds, what came out in each repetition (1000,), and the number of examples, if it is a share."""

    value: float
    again: Array
    examples: int = 0

    def minus(self, other: Ratio) -> Ratio:
        """The difference of two ratios, in each repetition over the same sentences and seeds."""
        return Ratio(self.value - other.value, self.again - other.again)

    @property
    def estimate(self) -> Estimate:
        if self.examples and self.value in (
            0.0,
            1.0,
        ):  # whatever is drawn again is the same: as if no doubt were left
            return share(round(self.value * self.examples), self.examples)
        if not len(self.again):
            return Estimate(self.value)
        low, high = np.quantile(self.again, [0.025, 0.975]).tolist()
        return Estimate(self.value, low, high)


def ratio(over: Array, under: Array, sentences: int) -> Ratio:
    """over, under (seeds, sentences); with less than two sentences there is no interval, and 0/0 counts as 0"""
    value, examples = float(quotient(over.sum(1), under.sum(1)).mean()), int(under[0].sum())
    if sentences < 2:
        return Ratio(value, np.empty(0), examples)
    of_groups, of_seeds = drawn_again(groups(sentences)), drawn_again(len(over))
    above, below = ((of_groups @ grouped(part).T * of_seeds).sum(1) for part in (over, under))
    return Ratio(value, quotient(above, below), examples)


def per_sentence(values: Array, sentence_of: Array, sentences: int) -> Array:
    """values (seeds, N) of examples, summed up in each sentence: (seeds, sentences)"""
    return np.stack([np.bincount(sentence_of, row, sentences) for row in values.astype(float)])


def grouped(sums: Array) -> Array:
    """(seeds, sentences) → (seeds, groups)"""
    size = sums.shape[1]
    return per_sentence(sums, np.arange(size) * groups(size) // size, groups(size))


def groups(sentences: int) -> int:
    return min(sentences, MOST_GROUPS)


def quotient(over: Array, under: Array) -> Array:
    found: Array = np.divide(over, under, out=np.zeros(np.shape(over)), where=under > 0)
    return found
