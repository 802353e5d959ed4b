"""A slope without calculus: move one number a little to both sides, and see how the loss moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mini_bert.analysis.sums import Index
from mini_bert.core.array import Array
from mini_bert.core.heads import MaskedWordHead
from mini_bert.core.trace import Hook, Trace
from mini_bert.models.passes import IGNORED, Pass

USUAL = (1e-2, 3e-3)
LARGER, SMALLER = (1e-1, 3e-2), (1e-3, 1e-4, 1e-5)
"""Steps: for tiny slopes, which drown in rounding; and for steep bends, or ReLU's kinks close by."""
GOOD = 1e-6
"""Slopes at two steps that differ by so little of themselves need no third."""
DIGITS = 1e-4
ROUNDINGS = 32
"""Last digits of the loss that a pass may be off by, about."""


class NumericSlope(NamedTuple):
    """A slope by central differences, the step that was chosen, and what rounding alone may make of it there."""

    value: float
    step: float
    rounding: float

    def agrees_with(self, analytic: float) -> bool:
        """Whether a slope has the same four digits; of next to nothing, as many as rounding leaves."""
        largest = max(abs(self.value), abs(analytic))
        return abs(self.value - analytic) <= max(DIGITS * largest, self.rounding)


def numeric_slope(passed: Pass, name: str, index: Index) -> NumericSlope:
    """dLoss/d(number) ≈ [4 D(h/2) − D(h)] / 3,  D(h) = [L(w + h) − L(w − h)] / 2h

    Central differences at two steps, whose errors of order h² cancel (Richardson 1911). Of several h the one is taken
    where the slope changes least to the next; the slope that is to be checked has no say in it. `passed` is a pass in
    float64, `name` a weight or an activation by its dotted name.
    """
    moved = moved_weight if name in passed.trace.params else moved_activation
    level = ROUNDINGS * float(np.finfo(np.float64).eps) * max(abs(passed.loss), 1.0)
    with moved(passed, name, index) as loss_at:

        def central(h: float) -> float:
            return (loss_at(h) - loss_at(-h)) / (2 * h)

        def slope(h: float) -> float:
            return (4 * central(h / 2) - central(h)) / 3

        slopes = {h: slope(h) for h in USUAL}
        first, second = slopes.values()
        if abs(first - second) > GOOD * abs(second):
            slopes |= {h: slope(h) for h in (*LARGER, *SMALLER)}
    steps = sorted(slopes, reverse=True)
    doubts = {h: abs(slopes[h] - slopes[next_]) + level / h for h, next_ in pairwise(steps)}
    best = min(doubts, key=lambda h: doubts[h])
    return NumericSlope(slopes[best], best, level / best)


LossAt = Callable[[float], float]


@contextmanager
def moved_weight(passed: Pass, name: str, index: Index) -> Iterator[LossAt]:
    """The loss as a function of how far one weight is moved; it is back in its place afterwards."""
    weight = passed.trace.params[name]
    before = weight[index]

    def loss_at(by: float) -> float:
        weight[index] = before + by
        return loss_again(passed)

    try:
        yield loss_at
    finally:
        weight[index] = before


@contextmanager
def moved_activation(passed: Pass, name: str, index: Index) -> Iterator[LossAt]:
    """The loss as a function of how far one number of an activation is moved, after any hook it has."""
    hooks = passed.trace.hooks

    def loss_at(by: float) -> float:
        def moved(x: Array) -> Array:
            x = np.array(hooks[name](x)) if name in hooks else x
            x[index] += by
            return x

        return loss_again(passed, {**hooks, name: moved})

    yield loss_at


def loss_again(passed: Pass, hooks: Mapping[str, Hook] | None = None) -> float:
    """The loss of the same pass with what is changed now; of words, only those that are asked for are told."""
    trace, network, labels = passed.trace, passed.network, passed.labels
    assert labels is not None
    hooks = trace.hooks if hooks is None else hooks
    queries = None
    if (
        isinstance(network.head, MaskedWordHead)
        and not hooks
        and len(labels) == 1
        and (labels != IGNORED).any()
    ):
        queries = np.flatnonzero(labels[0] != IGNORED)[None]
        labels = labels[:, queries[0]]
    again = Trace(trace.params, inputs=trace.inputs, queries=queries, hooks=hooks, keeps=False)
    logits = network.forward(trace.acts["embeddings.token.ids"], again)
    asked = labels != IGNORED
    weights = asked / max(asked.sum(), 1)
    return float(network.head.loss(logits, np.where(asked, labels, 0), weights)[0])
