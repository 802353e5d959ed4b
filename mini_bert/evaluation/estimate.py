"""Figures that say how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, hypot, sqrt
from typing import NamedTuple

from mini_bert.run_reports.student import interval
from mini_bert.signs import with_sign

NORMAL_95 = 1.959963984540054


class Estimate(NamedTuple):
    """A value, and the ends of its 95 % interval where one is known."""

    value: float
    low: float | None = None
    high: float | None = None


def difference_told(found: Estimate, is_share: bool) -> str:
    """With its sign; that of two shares in points.

    >>> difference_told(Estimate(0.048, 0.025, 0.071), True), difference_told(Estimate(-0.1, -0.2, 0.0), False)
    ('+4.8 (+2.5 to +7.1)', '−0.100 (−0.200 to 0.000)')
    """
    factor, decimals = (100, 1) if is_share else (1, 3)
    value, *ends = (with_sign(factor * one, decimals) for one in found if one is not None)
    return f"{value} ({' to '.join(ends)})" if ends else value


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


def mixed(parts: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """Σ weight · part of independent parts: from Σ w p − √Σ w² (p − low)² to Σ w p + √Σ w² (high − p)².

    Shares whose intervals are within 0 and 1 mix to such a one (Zou & Donner 2008). One part without an interval
    leaves the sum without.

    >>> mixed([Estimate(0.0, 0.0, 0.4), Estimate(0.5, 0.2, 0.8)], [0.5, 0.5])
    Estimate(value=0.25, low=0.1, high=0.5)
    """
    value = fsum(weight * one.value for weight, one in zip(weights, parts, strict=True))
    below, above = [], []
    for weight, one in zip(weights, parts, strict=True):
        if one.low is None or one.high is None:
            return Estimate(value)
        below.append(weight * (one.value - one.low))
        above.append(weight * (one.high - one.value))
    return Estimate(value, value - hypot(*below), value + hypot(*above))


def over_seeds(values: Sequence[float]) -> Estimate:
    """The mean of several trials with Student's interval; of a single trial there is none."""
    found = interval(values)
    if found.half_width is None:
        return Estimate(found.mean)
    return Estimate(found.mean, found.mean - found.half_width, found.mean + found.half_width)
