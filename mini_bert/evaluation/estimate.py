"""Figures that say how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from mini_bert.run_reports.student import interval

NORMAL_95 = 1.959963984540054


class Estimate(NamedTuple):
    """A value, and the ends of its 95 % interval where one is known."""

    value: float
    low: float | None = None
    high: float | None = None


def share(right: int, total: int) -> Estimate:
    """right / total with Wilson's interval, which stays between 0 and 1 even for a few cases.

    >>> share(9, 10)
    Estimate(value=0.9, low=0.5958499732047615, high=0.9821237869049271)
    """
    if total < 1:
        raise ValueError("a share of nothing: there are no cases to count")
    return wilson(right / total, total)


def wilson(p: float, cases: float) -> Estimate:
    """(p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n) around a share p of n cases, not always whole ones."""
    z2 = NORMAL_95 * NORMAL_95
    middle = (p + z2 / (2 * cases)) / (1 + z2 / cases)
    half = NORMAL_95 * sqrt(p * (1 - p) / cases + z2 / (4 * cases * cases)) / (1 + z2 / cases)
    return Estimate(p, min(p, max(0.0, middle - half)), max(p, min(1.0, middle + half)))


def over_seeds(values: Sequence[float]) -> Estimate:
    """The mean of several trials with Student's interval; of a single trial there is none."""
    found = interval(values)
    if found.half_width is None:
        return Estimate(found.mean)
    return Estimate(found.mean, found.mean - found.half_width, found.mean + found.half_width)
