"""The optimizers that a step of the Learn view may be taken with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from mini_bert.core.arena import Arena
from mini_bert.training.optimizers import LAMB, SGD, AdamW, Lion, Muon, Optimizer

OptimizerName = Literal["sgd", "momentum", "adamw", "lion", "muon", "lamb"]


class Kind(NamedTuple):
    """How it is made, its rule as LaTeX, and what it does in plain words; `usual` is a rate to begin with."""

    make: Callable[[Arena], Optimizer]
    latex: str
    words: str
    usual: float


KINDS: dict[OptimizerName, Kind] = {
    "sgd": Kind(
        lambda weights: SGD(weights, momentum=0.0),
        r"w ← w - \eta\, g",
        "Every weight goes against its gradient, as far as the gradient is large.",
        0.1,
    ),
    "momentum": Kind(
        lambda weights: SGD(weights, momentum=0.9),
        r"v ← 0.9\, v + g, \quad w ← w - \eta\, v",
        "The same with a memory: steps in the same direction grow.",
        0.03,
    ),
    "adamw": Kind(
        lambda weights: AdamW(weights, weight_decay=0.0),
        r"w ← w - \eta\, \frac{\hat m}{\sqrt{\hat v} + \varepsilon}",
        "Each weight has its own measure: the first step moves all that have a gradient by the rate.",
        0.001,
    ),
    "lion": Kind(
        lambda weights: Lion(weights, weight_decay=0.0),
        r"w ← w - \eta\, \operatorname{sign}(0.9\, m + 0.1\, g)",
        "Only the direction counts: every weight moves by the rate.",
        0.0003,
    ),
    "muon": Kind(
        lambda weights: Muon(weights, weight_decay=0.0),
        r"M ← 0.95\, M + g, \quad g + 0.95\, M = U \Sigma V^\top,"
        r" \quad w ← w - 0.2\, \eta \sqrt{\max(n, m)}\, U V^\top",
        "Each matrix moves equally far in all its directions; tables, gains, biases and heads step as with AdamW.",
        0.002,
    ),
    "lamb": Kind(
        lambda weights: LAMB(weights, weight_decay=0.0),
        r"w ← w - \eta\, \frac{‖w‖}{‖u‖}\, u, \quad u = \frac{\hat m}{\sqrt{\hat v} + \varepsilon}",
        "Adam's direction, but each matrix moves by a share of its own size.",
        0.01,
    ),
}
assert tuple(KINDS) == get_args(OptimizerName)
