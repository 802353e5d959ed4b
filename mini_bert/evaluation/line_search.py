"""How far to go in a direction: until the strong Wolfe conditions hold.

    φ(α) = f(x + α d):   φ(α) ≤ φ(0) + c₁ α φ'(0)   and   |φ'(α)| ≤ c₂ |φ'(0)|

The value has fallen enough for the way, and the slope has flattened: a step neither too long nor too short. Bracketing
and zooming are algorithms 3.5 and 3.6 of Nocedal & Wright, Numerical Optimization, 2nd edition.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, isfinite, sqrt
from typing import NamedTuple

from mini_bert.core.array import Array

DECREASE, FLATTER = 1e-4, 0.9
"""c₁ and c₂, as is customary for quasi-Newton methods."""
MOST_DOUBLINGS, MOST_ZOOMS = 30, 30


class Point(NamedTuple):
    x: Array
    value: float
    gradient: Array


class Trial(NamedTuple):
    """α, φ(α), φ'(α), and the point itself."""

    step: float
    value: float
    slope: float
    point: Point


class Function:
    """A function that counts how often it is asked."""

    def __init__(self, f: Callable[[Array], tuple[float, Array]]) -> None:
        self.f, self.evaluations = f, 0

    def at(self, x: Array) -> Point:
        self.evaluations += 1
        value, gradient = self.f(x)
        return Point(x, float(value), gradient)


def line_search(f: Function, start: Point, direction: Array, first_step: float = 1.0) -> Point | None:
    """A point on the way that fulfils the conditions, or else the lowest that was met; None if none is lower."""
    slope = float(start.gradient @ direction)
    assert slope < 0, "the direction leads uphill"
    lowest = origin = before = Trial(0.0, start.value, slope, start)

    def try_at(step: float) -> Trial:
        nonlocal lowest
        point = f.at(start.x + step * direction)
        trial = Trial(step, point.value, float(point.gradient @ direction), point)
        if trial.value < lowest.value:
            lowest = trial
        return trial

    def too_high(trial: Trial) -> bool:
        return not trial.value <= origin.value + DECREASE * trial.step * slope  # nan is too high

    def flat(trial: Trial) -> bool:
        return abs(trial.slope) <= -FLATTER * slope

    def zoom(low: Trial, high: Trial) -> Point | None:
        """Between `low`, the best so far, and `high` lies a step that will do."""
        for _ in range(MOST_ZOOMS):
            trial = try_at(between(low, high))
            if too_high(trial) or trial.value >= low.value:
                high = trial
            elif flat(trial):
                return trial.point
            else:
                if trial.slope * (high.step - low.step) >= 0:
                    high = low
                low = trial
            if abs(high.step - low.step) <= 1e-15 * max(high.step, low.step):
                break
        return lowest.point if lowest.step else None

    step = first_step
    for _ in range(MOST_DOUBLINGS):
        trial = try_at(step)
        if too_high(trial) or (before.step and trial.value >= before.value):
            return zoom(before, trial)
        if flat(trial):
            return trial.point
        if trial.slope >= 0:
            return zoom(trial, before)
        before, step = trial, 2 * step
    return lowest.point if lowest.step else None


def between(a: Trial, b: Trial) -> float:
    """Where the cubic through both values and slopes is lowest (equation 3.59), but not too near to an end.

    α = b − (b − a) (φ'_b + d₂ − d₁) / (φ'_b − φ'_a + 2 d₂),
    d₁ = φ'_a + φ'_b − 3 (φ_a − φ_b) / (a − b),   d₂ = sign(b − a) √(d₁² − φ'_a φ'_b)
    """
    width = b.step - a.step
    middle = a.step + width / 2
    if not (isfinite(b.value) and isfinite(b.slope)):
        return a.step + width / 10
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
    inside = d1 * d1 - a.slope * b.slope
    if inside < 0:
        return middle
    d2 = copysign(sqrt(inside), width)
    below = b.slope - a.slope + 2 * d2
    if not below:
        return middle
    step = b.step - width * (b.slope + d2 - d1) / below
    near, far = sorted((a.step + 0.1 * width, b.step - 0.1 * width))
    return min(max(step, near), far) if isfinite(step) else middle
