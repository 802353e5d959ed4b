"""Intervals for answers that hang together: words hidden in the same row share their context, and often their fate.

    Var(mean) = R / (R − 1) · Σ_r (Σ_{i in r} (x_i − mean))² / n²          R rows, n answers

The variance of a mean when whole rows are drawn, not single words (Kish 1965, "Survey Sampling", ratio estimate).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import NORMAL_95, Estimate, wilson


def ratio(sums: Array, counts: Array) -> Estimate:
    """Σ sums / Σ counts of R rows, each (R,), with its 95 % interval; of a single row there is none."""
    n = float(counts.sum())
    if not n:
        raise ValueError("a mean of nothing: there are no answers to judge")
    mean, R = float(sums.sum()) / n, len(sums)
    if R < 2:
        return Estimate(mean)
    half = NORMAL_95 * sqrt(R / (R - 1) * float(((sums - mean * counts) ** 2).sum())) / n
    return Estimate(mean, mean - half, mean + half)


def clustered_mean(values: Array, row: Array) -> Estimate:
    """The mean of values (n,), each of a row (n,), with its 95 % interval."""
    _, inverse = np.unique(row, return_inverse=True)
    return ratio(np.bincount(inverse, weights=values), np.bincount(inverse))


def clustered_share(right: Array, row: Array) -> Estimate:
    """A share with Wilson's interval, for as many independent answers as these are worth.

    n / d of them, where the design effect d = Var(mean) / (p (1 − p) / n) is at least 1. Where all are right, or none,
    nothing shows how far the answers of a row hang together: then a row is worth one.
    """
    found, n = clustered_mean(right.astype(np.float64), row), len(right)
    p, independent = found.value, found.value * (1 - found.value) / n
    if found.high is None:
        return found
    variance = ((found.high - p) / NORMAL_95) ** 2
    worth = n / max(1.0, variance / independent) if independent > 0 else len(np.unique(row))
    return wilson(p, worth)
