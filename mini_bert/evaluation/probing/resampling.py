"""How sure a share is when its cases come in groups, such as the edges of a sentence or the pronouns of a story."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate

REPLICATES = 1000


def share_in_groups(right: Array, cases: Array) -> Estimate:
    """Σ right / Σ cases, the mean of several runs: right (runs, groups), cases (groups,)

    The interval is of what would come out for other groups and other runs: both are drawn again, with repetitions, a
    thousand times (Efron 1979). Single cases are not drawn: those of one group are alike.
    """
    right, cases = right.astype(float), cases.astype(float)
    value = float(right.sum() / (len(right) * cases.sum()))
    if len(cases) < 2:
        return Estimate(value)
    of_groups, of_runs = drawn_again(len(cases)), drawn_again(len(right)) / len(right)
    totals = of_groups @ cases
    shares: Array = ((of_groups @ right.T) * of_runs).sum(1)[totals > 0] / totals[totals > 0]
    low, high = np.quantile(shares, [0.025, 0.975]).tolist()
    return Estimate(value, low, high)


@lru_cache(maxsize=8)
def drawn_again(size: int) -> Array:
    """How often each of so many things comes up when as many are drawn with repetitions: (REPLICATES, size)"""
    drawn = np.random.default_rng(size).multinomial(size, np.full(size, 1 / size), REPLICATES).astype(float)
    drawn.flags.writeable = False
    return drawn
