"""How much does the learning rate matter from here? The loss after one step, and after k, for a range of rates.

    found = rate_sensitivity(model, lesson)
    found.best, found.bursts_from

Every rate begins with the same weights and takes the same batches in the same order. A sweep in which the rate rises
from step to step (`mini-bert find-rate`) asks another question: what a run would bear as it goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from mini_bert.analysis.lessons import Given, One, as_lesson, gradient_at, loss_at, twin_of
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.update_sizes import Chosen
from mini_bert.core.array import Array
from mini_bert.evaluation.intrinsic.one_batch import Lesson
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.training.optimizers import AdamW

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATES = tuple(np.geomspace(1e-5, 1.0, 16).tolist())
STEPS = 10


@dataclass(frozen=True)
class RateSensitivity(Shown):
    """`losses` (rates, steps + 1) on the first batch, or on the one to judge by: before any step, after 1, 2, … steps.

    Where the weights are no longer finite, the loss is inf.
    """

    rates: Array
    losses: Array

    @property
    def start(self) -> float:
        return float(self.losses[0, 0])

    @property
    def after_one(self) -> Array:
        one: Array = self.losses[:, 1]
        return one

    @property
    def after_all(self) -> Array:
        last: Array = self.losses[:, -1]
        return last

    @property
    def best(self) -> float:
        """The rate with the lowest loss after all steps"""
        return float(self.rates[np.argmin(self.after_all)])

    @property
    def bursts_from(self) -> float | None:
        """The lowest rate from which on every one ends above the start; None if the highest does not"""
        worse = ~(self.after_all <= self.start)
        if not worse[-1]:
            return None
        return float(self.rates[np.flatnonzero(~worse)[-1] + 1 if (~worse).any() else 0])

    def figure(self) -> Figure:
        from mini_bert.plots.over_rates import over_rates

        steps = self.losses.shape[1] - 1
        curves = {"after one step": self.after_one}
        if steps > 1:
            curves[f"after {steps} steps"] = self.after_all
        return over_rates(self.rates, curves, "loss (nats)", {"before": self.start})


def rate_sensitivity(
    model: MiniBERT,
    given: Given | Sequence[Lesson],
    *,
    rates: Sequence[float] = RATES,
    steps: int = STEPS,
    optimizer: Chosen | None = None,
    judged_by: Given | None = None,
    report: Report = silent,
) -> RateSensitivity:
    """Steps on the batches in turn, again from the first when they are used up. The model stays as it is.

    AdamW without decay, unless another optimizer is given: `lambda weights: SGD(weights, momentum=0)`.
    """
    tried = np.sort(np.asarray(rates, float))
    if not tried.size or not tried[0] > 0 or steps < 1:
        raise ValueError(f"rates={list(rates)}, steps={steps}: choose rates above 0, and one step or more")
    lessons = batches(model, given)
    judge = lessons[0] if judged_by is None else as_lesson(model, judged_by)
    losses = np.full((len(tried), steps + 1), np.inf)
    losses[:, 0] = loss_at(model, judge)
    for row, rate in enumerate(tried.tolist()):
        losses[row, 1:] = losses_of_steps(model, lessons, judge, rate, steps, optimizer)
        report((row + 1) / len(tried), f"rate {rate:.1e}")
    return RateSensitivity(tried, losses)


def batches(model: MiniBERT, given: Given | Sequence[Lesson]) -> list[Lesson]:
    """Several lessons are as many batches; several texts are one."""
    several = [] if isinstance(given, One) else [one for one in given if isinstance(one, Lesson)]
    return several or [as_lesson(model, cast(Given, given))]


@np.errstate(over="ignore", invalid="ignore")  # a rate that bursts says so by its loss
def losses_of_steps(
    model: MiniBERT,
    lessons: Sequence[Lesson],
    judge: Lesson,
    rate: float,
    steps: int,
    optimizer: Chosen | None,
) -> Array:
    twin, losses = twin_of(model), np.full(steps, np.inf)
    gradient = twin.arena.zeros_like()
    chosen = AdamW(twin.arena, weight_decay=0.0) if optimizer is None else optimizer(twin.arena)
    chosen.learning_rate = rate
    for step in range(steps):
        gradient_at(twin, lessons[step % len(lessons)], gradient)
        chosen.step(gradient)
        found = loss_at(twin, judge)
        if not np.isfinite(found):
            break
        losses[step] = found
    return losses
