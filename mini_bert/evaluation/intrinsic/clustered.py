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


def ratio(sums: Array, counts: Array) -> Estimate:
    """Σ sums / Σ counts of R rows, each (R,), with Student's 95 % interval of R − 1; of a single row there is none."""
    R = len(sums)
    mean, error = mean_and_error(sums, counts, R)
    if error is None:
        return Estimate(mean)
    half = student(R - 1) * error
    return Estimate(mean, mean - half, mean + half)


def mean_and_error(sums: Array, counts: Array, rows: float) -> tuple[float, float | None]:
    """Σ sums / Σ counts, and the root of its variance if they are taken for so many rows of equal size."""
    n = float(counts.sum())
    if not n:
        raise ValueError("a mean of nothing: there are no answers to judge")
    mean = float(sums.sum()) / n
    if rows <= 1:
        return mean, None
    return mean, sqrt(rows / (rows - 1) * float(((sums - mean * counts) ** 2).sum())) / n


def clustered_mean(values: Array, row: Array) -> Estimate:
    """The mean of values (n,), each of a row (n,), with its 95 % interval."""
    return ratio(*summed(values, row))


def summed(values: Array, row: Array) -> tuple[Array, Array]:
    """The sum of the values of each row, and how many they are, each (R,)."""
    _, inverse = np.unique(row, return_inverse=True)
    return np.bincount(inverse, weights=values), np.bincount(inverse)


def clustered_share(right: Array, row: Array) -> Estimate:
    """The share of answers (n,), each of a row (n,), that are right, with its 95 % interval; of a single row, none."""
    sums, counts = summed(right, row)
    return share_of_few(sums, counts) if len(sums) > 1 else ratio(sums, counts)


def share_of_few(sums: Array, counts: Array) -> Estimate:
    """Σ sums / Σ counts, a share of the answers of rows that may be few and unequal, with Wilson's interval.

    Unequal rows are taken for E = (Σ counts)² / Σ counts² equal ones. The spread of a few is itself unsure, so their
    answers are worth (z / t)² as many, with Student's t of E − 1 degrees of freedom (Korn & Graubard 1998), but at
    least one: so is a single row, of whose like nothing is known.
    """
    E = equal_rows(counts)
    value, _ = mean_and_error(sums, counts, E)
    few = kept_of_few(E) if 0 < value < 1 else 1.0
    return wilson(value, max(1.0, few * worth(sums, counts, E)))


def equal_rows(weights: Array) -> float:
    """(Σ w)² / Σ w²: the number of equal rows whose mean is as sure as that of rows of these weights (Kish 1965)."""
    return float(weights.sum()) ** 2 / float((weights * weights).sum())


def kept_of_few(rows: float) -> float:
    """(z / t)² for Student's t of rows − 1 degrees of freedom, between whole ones by a straight line."""
    whole, beyond = divmod(max(0.0, rows - 1), 1.0)
    less, more = ((NORMAL_95 / student(f)) ** 2 if f else 0.0 for f in (int(whole), int(whole) + 1))
    return less + beyond * (more - less)


@cache
def student(freedom: int) -> float:
    return t_quantile(CONFIDENCE, freedom)


def worth(sums: Array, counts: Array, rows: float) -> float:
    """How many independent answers those of so many equal rows are worth, of which `sums` of `counts` are right.

    n / d of them, where the design effect d = Var(mean) / (p (1 − p) / n) is at least 1. Where all are right, or none,
    or there is but one row, nothing shows how far the answers of a row hang together: then a row is worth one.
    """
    p, error = mean_and_error(sums, counts, rows)
    n = float(counts.sum())
    independent = p * (1 - p) / n
    if error is None or independent <= 0:
        return float(rows)
    return n / max(1.0, error * error / independent)
