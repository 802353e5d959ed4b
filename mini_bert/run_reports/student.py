"""How sure the mean of a few runs is: Student's t."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, cos, isfinite, pi, sin, sqrt, tan
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

CONFIDENCE = 0.95
MANY = 200
"""Degrees of freedom, beyond which t is told from z, within two millionths."""


class Interval(NamedTuple):
    """The mean of n numbers; with `CONFIDENCE` the true one is within `half_width` of it, None if n is 1."""

    mean: float
    half_width: float | None
    n: int


def interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """mean ± t s/√n

    >>> mean, half_width, n = interval([1.0, 2.0, 3.0])
    >>> f"{mean:.1f} ± {half_width:.3f} (n = {n})"
    '2.0 ± 2.484 (n = 3)'
    """
    n = len(values)
    if n < 2:
        return Interval(values[0], None, n)
    return Interval(fmean(values), t_quantile(confidence, n - 1) * stdev(values) / sqrt(n), n)


def finite_interval(values: Sequence[float | None], confidence: float = CONFIDENCE) -> Interval | None:
    """Of those values that are numbers; None if there are none."""
    finite = [value for value in values if value is not None and isfinite(value)]
    return interval(finite, confidence) if finite else None


def share_within(t: float, freedom: int) -> float:
    """P(|T| < t), exactly: a finite sum for each whole number of degrees of freedom (Abramowitz & Stegun 26.7.3-4)"""
    angle = atan(t / sqrt(freedom))
    is_odd = freedom % 2
    term = total = cos(angle) if is_odd else 1.0
    for k in range(2 + is_odd, freedom - 1, 2):
        term *= (k - 1) / k * cos(angle) ** 2
        total += term
    if not is_odd:
        return sin(angle) * total
    return 2 / pi * (angle + (sin(angle) * total if freedom > 1 else 0.0))


def t_quantile(confidence: float, freedom: int) -> float:
    """The t for which P(|T| < t) is `confidence`, by halving the angle it stands for.

    For many degrees of freedom, z + (z³ + z)/4f + (5z⁵ + 16z³ + 3z)/96f² (Abramowitz & Stegun 26.7.5).
    """
    if freedom > MANY:
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    low, high = 0.0, pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if share_within(sqrt(freedom) * tan(middle), freedom) < confidence:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan((low + high) / 2)
