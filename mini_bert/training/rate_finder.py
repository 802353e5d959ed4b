"""Which learning rate suits a model? Raise it from step to step, and watch where the loss falls and where it bursts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from statistics import median

import numpy as np

from mini_bert.core.array import Array

SMOOTHING = 0.8
BURST = 1.5
GAIN = 0.9


@dataclass(frozen=True)
class LearningRateCurve:
    """A sweep of the learning rate: one entry of `rates`, `losses` and `smoothed` for each step that was taken."""

    rates: Array
    losses: Array
    smoothed: Array
    diverged_at: float | None
    """the rate at which the loss burst; None if it never did"""

    @property
    def steepest(self) -> float | None:
        """The rate at which the smoothed loss fell fastest, per factor of the rate; None if it never fell."""
        until = int(np.argmin(self.smoothed)) + 1
        if until < 2:
            return None
        slopes = np.gradient(self.smoothed[:until], np.log(self.rates[:until]))
        return float(self.rates[np.argmin(slopes)])

    @property
    def suggestion(self) -> float | None:
        """The steepest point, but at most a tenth of the rate that bursts; None if the sweep shows neither."""
        bounds = (self.steepest, None if self.diverged_at is None else self.diverged_at / 10)
        return min((bound for bound in bounds if bound is not None), default=None)


def find_learning_rate(
    step: Callable[[float], float], low: float = 1e-6, high: float = 1.0, steps: int = 100
) -> LearningRateCurve:
    """Call `step(rate)`, which trains once at that rate and returns its loss, at rates from `low` to `high`.

    Each rate is the one before times a constant (Smith 2017). The sweep ends early when the loss is not
    finite or bursts. The steps change the model: give it a copy, or reload it.
    """
    if not 0 < low < high:
        raise ValueError(f"low={low}, high={high}: choose 0 < low < high")
    if steps < 2:
        raise ValueError(f"steps={steps}: a sweep needs 2 or more")
    rates = np.geomspace(low, high, steps)
    losses: list[float] = []
    diverged_at = None
    for rate in rates.tolist():
        loss = step(rate)
        if isfinite(loss):
            losses.append(loss)
        if not isfinite(loss) or has_burst(losses):
            diverged_at = rate
            break
    if not losses:
        raise ValueError(
            f"the loss is not finite at the lowest rate, {low}; check the model, or choose a lower one"
        )
    return LearningRateCurve(rates[: len(losses)], np.array(losses), smooth(losses), diverged_at)


def running_mean(losses: list[float]) -> Array:
    """Of each loss and those before it, the nearest counting most."""
    means, mean = [], 0.0
    for n, loss in enumerate(losses, 1):
        mean += (loss - mean) * (1 - SMOOTHING) / (1 - SMOOTHING**n)
        means.append(mean)
    return np.array(means)


def smooth(losses: list[float]) -> Array:
    """The running means from both ends, averaged: one alone would lag behind, and suggest too high a rate.

    A loss that has burst counts as 1.5 times the least, or it would outweigh all before it.
    """
    most = max(losses[0], BURST * min(losses))
    losses = [min(loss, most) for loss in losses]
    return (running_mean(losses) + running_mean(losses[::-1])[::-1]) / 2


def has_burst(losses: list[float]) -> bool:
    """Whether the last losses are 1.5 times the least, or all that had been gained is lost again."""
    means = running_mean(losses)
    first, least, last = means[0], means.min(), means[-1]
    return median(losses[-3:]) > BURST * least or bool(least < GAIN * first and last > first)
