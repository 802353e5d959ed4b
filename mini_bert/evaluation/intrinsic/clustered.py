"""Intervals for answers that hang together: words hidden in the same row share their context, and often their fate.

    Var(mean) = R / (R − 1) · Σ_r (Σ_{i in r} (x_i − mean))² / n²          R rows, n answers

The variance of a mean when whole rows are drawn, not single words (Kish 1965, "Survey Sampling", ratio estimate).
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import NORMAL_95, Estimate, wilson
from mini_bert.run_reports.student import CONFIDENCE, t_quantile


def ratio(sums: Array, counts: Array, rows: float | None = None) -> Estimate:
    """Σ sums / Σ counts of R rows, each (R,), with its 95 % interval; of a single row there is none.

    `rows` is for how many of equal size they are taken, if not for R.
    """
    n = float(counts.sum())
    if not n:
        raise ValueError("a mean of nothing: there are no answers to judge")
    mean, R = float(sums.sum()) / n, len(sums) if rows is None else rows
    if R <= 1:
        return Estimate(mean)
    half = NORMAL_95 * sqrt(R / (R - 1) * float(((sums - mean * counts) ** 2).sum())) / n
    return Estimate(mean, mean - half, mean + half)


def clustered_mean(values: Array, row: Array) -> Estimate:
    """The mean of values (n,), each of a row (n,), with its 95 % interval."""
    return ratio(*summed(values, row))


def summed(values: Array, row: Array) -> tuple[Array, Array]:
    """The sum of the values of each row, and how many they are, each (R,)."""
    _, inverse = np.unique(row, return_inverse=True)
    return np.bincount(inverse, weights=values), np.bincount(inverse)


def clustered_share(right: Array, row: Array) -> Estimate:
    """A share with Wilson's interval, for as many independent answers as these are worth; of a single row, none."""
    sums, counts = summed(right, row)
    found = ratio(sums, counts)
    return found if found.high is None else wilson(found.value, worth(sums, counts, len(sums)))


def share_of_few(sums: Array, counts: Array) -> Estimate:
    """Σ sums / Σ counts, a share of the answers of rows that may be few and unequal, with Wilson's interval.

    Unequal rows are taken for E = (Σ counts)² / Σ counts² equal ones. The spread of a few is itself unsure, so their
    answers are worth (z / t)² as many, with Student's t of E − 1 degrees of freedom (Korn & Graubard 1998), but at
    least one: so is a single row, of whose like nothing is known.
    """
    value, E = ratio(sums, counts).value, equal_rows(counts)
    few = kept_of_few(E) if 0 < value < 1 else 1.0
    return wilson(value, max(1.0, few * worth(sums, counts, E)))


def equal_rows(weights: Array) -> float:
    """(Σ w)² / Σ w²: the number of equal rows whose mean is as sure as that of rows of these weights (Kish 1965)."""
    return float(weights.sum()) ** 2 / float((weights * weights).sum())


def kept_of_few(rows: float) -> float:
    """(z / t)² for Student's t of rows − 1 degrees of freedom, between whole ones by a straight line."""
    whole, beyond = divmod(max(0.0, rows - 1), 1.0)
    less, more = (kept_of_freedom(int(whole) + one) for one in (0, 1))
    return less + beyond * (more - less)


@cache
def kept_of_freedom(freedom: int) -> float:
    return (NORMAL_95 / t_quantile(CONFIDENCE, freedom)) ** 2 if freedom else 0.0


def worth(sums: Array, counts: Array, rows: float) -> float:
    """How many independent answers those of so many equal rows are worth, of which `sums` of `counts` are right.

    n / d of them, where the design effect d = Var(mean) / (p (1 − p) / n) is at least 1. Where all are right, or none,
    or there is but one row, nothing shows how far the answers of a row hang together: then a row is worth one.
    """
    found, n = ratio(sums, counts, rows), float(counts.sum())
    independent = found.value * (1 - found.value) / n
    if found.high is None or independent <= 0:
        return float(rows)
    variance = ((found.high - found.value) / NORMAL_95) ** 2
    return n / max(1.0, variance / independent)
