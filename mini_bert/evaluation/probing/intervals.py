"""Shares with intervals, where cases come in groups, such as the words of a sentence, and probes in seeds.

A share is Σ over / Σ under, summed over cases, the mean over seeds. Its interval is of what would come out for other
groups and other seeds: both are drawn again, with repetitions, a thousand times (Efron 1979). Cases are not drawn one
by one, as those of a group are alike.

Few seeds drawn again vary too little: by (n − 1)/n of the variance, and with tails as if it were known. So what they
vary by is widened by √(n/(n − 1)) · t/z, which makes seeds alone as wide as Student's interval.

Where all cases are right, or none, whatever is drawn again is the same, as if no doubt were left. With G groups, and
every share held for equally likely beforehand, it then is u^(1/(G + 1)) for u from 0 to 1: Laplace's rule.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import NORMAL_95, Estimate
from mini_bert.run_reports.student import CONFIDENCE, t_quantile

REPLICATES = 1000
MOST_GROUPS = 2000
"""Where there are more, neighbours are drawn together."""


class Ratio(NamedTuple):
    """The mean over seeds and what came out in each repetition (1000,); no share is less than `lowest`, nor above 1."""

    value: float
    again: Array
    lowest: float = 0.0

    def minus(self, other: Ratio) -> Ratio:
        """The difference of two shares, in each repetition over the same groups and seeds."""
        # those of Laplace's rule are numbers by lot, which two shares must not have in common
        again = other.again[::-1] if other.value in (0.0, 1.0) else other.again
        return Ratio(self.value - other.value, self.again - again, -1.0)

    @property
    def estimate(self) -> Estimate:
        if not len(self.again):
            return Estimate(self.value)
        low, high = np.quantile(self.again, [0.025, 0.975]).tolist()
        return Estimate(self.value, max(self.lowest, min(low, self.value)), min(1.0, max(high, self.value)))


def ratio(over: Array, under: Array) -> Ratio:
    """over, under (seeds, groups); with less than two groups there is no interval, and 0/0 counts as 0"""
    value = float(quotient(over.sum(1), under.sum(1)).mean())
    groups = int((under.sum(0) > 0).sum())
    if groups < 2:
        return Ratio(value, np.empty(0))
    if value in (0.0, 1.0):
        near_one = np.random.default_rng(groups).random(REPLICATES) ** (1 / (groups + 1))
        return Ratio(value, near_one if value else 1 - near_one)
    over, under = neighbours_joined(over), neighbours_joined(under)
    of_groups = drawn_again(over.shape[1])
    shares = quotient(of_groups @ over.T, of_groups @ under.T)
    return Ratio(value, (shares * seeds_drawn_again(len(over))).mean(1))


def per_group(values: Array, group_of: Array, groups: int) -> Array:
    """values (seeds, N) of cases, summed up in each group: (seeds, groups)"""
    return np.stack([np.bincount(group_of, row, groups) for row in values.astype(float)])


def neighbours_joined(sums: Array) -> Array:
    """(seeds, groups) → (seeds, MOST_GROUPS at most)"""
    size = sums.shape[1]
    most = min(size, MOST_GROUPS)
    return per_group(sums, np.arange(size) * most // size, most)


def seeds_drawn_again(n: int) -> Array:
    """How much each of n seeds weighs, with mean 1: (REPLICATES, n)"""
    if n == 1:
        return np.ones((REPLICATES, 1))
    wider = sqrt(n / (n - 1)) * t_quantile(CONFIDENCE, n - 1) / NORMAL_95
    found: Array = 1 + wider * (drawn_again(n) - 1)
    return found


@lru_cache(maxsize=8)
def drawn_again(size: int) -> Array:
    """How often each of so many things comes up when as many are drawn with repetitions: (REPLICATES, size)"""
    drawn = np.random.default_rng(size).multinomial(size, np.full(size, 1 / size), REPLICATES).astype(float)
    drawn.flags.writeable = False
    return drawn


def quotient(over: Array, under: Array) -> Array:
    found: Array = np.divide(over, under, out=np.zeros(np.shape(over)), where=under > 0)
    return found
