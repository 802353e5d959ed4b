"""What changes as training goes on, as functions of the share of the budget that is done: 0 at the start, 1 at the end.

A budget may be in steps, tokens or minutes. For the n-th of N steps ask at its middle, (n − ½)/N: then neither the
first step of a warm-up nor the last of a decay has the rate 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sqrt
from typing import Literal, get_args

from mini_bert.errors import unknown

Kind = Literal["linear", "cosine", "triangle", "one-cycle", "inverse-sqrt", "constant"]

ONE_CYCLE_START = 1 / 25
SHORTEST_TIMESCALE = 0.01


@dataclass(frozen=True)
class Schedule:
    """done → factor of the learning rate, 0 to 1: up to 1 for a share of `warmup`, then down to `floor`.

    | kind         | up from | down                                                                 |
    | ---          | ---     | ---                                                                  |
    | linear       | 0       | a straight line (Devlin et al. 2019)                                 |
    | cosine       | 0       | half a cosine (Loshchilov & Hutter 2017)                             |
    | triangle     | floor   | a straight line; with warmup=0.5 the triangle of Smith (2017)        |
    | one-cycle    | 1/25    | half a cosine, as is the way up (Smith & Topin 2018)                 |
    | inverse-sqrt | 0       | √(τ / (τ + time since the warm-up)), τ = warmup (Vaswani et al. 2017) |
    | constant     | 0       | not at all                                                           |

    In the last `cooldown` of training a straight line to the floor is multiplied in: for the last two kinds,
    which otherwise do not end there. inverse-sqrt without a warm-up takes τ = 0.01.
    """

    kind: Kind = "linear"
    warmup: float = 0.1
    floor: float = 0.0
    cooldown: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(unknown("schedule", self.kind, list(get_args(Kind))))
        if not 0 <= self.warmup < 1:
            raise ValueError(
                f"warmup={self.warmup}: a share of training; choose from 0 up to, not including, 1"
            )
        if not 0 <= self.floor <= 1:
            raise ValueError(f"floor={self.floor}: a share of the highest learning rate; choose from 0 to 1")
        if self.cooldown < 0 or self.warmup + self.cooldown > 1:
            raise ValueError(
                f"cooldown={self.cooldown}: choose from 0 to {1 - self.warmup:g}, which the warm-up leaves"
            )

    def __call__(self, done: float) -> float:
        done = min(max(done, 0.0), 1.0)
        if done < self.warmup:
            return self.rise(done / self.warmup)
        shape = FALLS[self.kind]((done - self.warmup) / (1 - self.warmup), self.warmup)
        if done > 1 - self.cooldown:
            shape *= (1 - done) / self.cooldown
        return between(self.floor, 1.0, shape)

    def rise(self, share: float) -> float:
        """The way up, by the share of the warm-up that is done."""
        if self.kind == "one-cycle":
            return between(ONE_CYCLE_START, 1.0, 1 - half_cosine(share))
        return between(self.floor if self.kind == "triangle" else 0.0, 1.0, share)


def between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share


def half_cosine(share: float) -> float:
    """1 → 0, level at both ends"""
    return (1 + cos(pi * share)) / 2


def straight(share: float) -> float:
    return 1 - share


def inverse_sqrt(share: float, warmup: float) -> float:
    timescale = max(warmup, SHORTEST_TIMESCALE)
    return sqrt(timescale / (timescale + share * (1 - warmup)))


FALLS: dict[str, Callable[[float, float], float]] = {
    "linear": lambda share, _: straight(share),
    "triangle": lambda share, _: straight(share),
    "cosine": lambda share, _: half_cosine(share),
    "one-cycle": lambda share, _: half_cosine(share),
    "inverse-sqrt": inverse_sqrt,
    "constant": lambda share, _: 1.0,
}
"""kind → f(share of the time after the warm-up, warmup): 1 at its beginning"""


@dataclass(frozen=True)
class BatchRamp:
    """done → sequences in a batch: from `start` to `end` in a share of `until`, in whole micro-batches.

    Small batches suffice while the gradient is large; later its noise must be averaged away (Smith et al. 2018).
    """

    start: int
    end: int
    until: float = 0.5
    micro_batch: int = 1

    def __post_init__(self) -> None:
        for name, size in (("start", self.start), ("end", self.end)):
            if size < 1 or size % self.micro_batch:
                raise ValueError(f"{name}={size}: choose a multiple of the micro-batch, {self.micro_batch}")
        if not 0 <= self.until <= 1:
            raise ValueError(f"until={self.until}: a share of training; choose from 0 to 1")

    def __call__(self, done: float) -> int:
        share = 1.0 if done >= self.until else max(done, 0.0) / self.until
        return self.micro_batch * round(between(self.start, self.end, share) / self.micro_batch)


@dataclass(frozen=True)
class MaskingSchedule:
    """done → share of the words that are masked: a straight line from `start` to `end`  (Ankner et al. 2024)"""

    start: float = 0.30
    end: float = 0.15

    def __post_init__(self) -> None:
        for name, rate in (("start", self.start), ("end", self.end)):
            if not 0 < rate < 1:
                raise ValueError(f"{name}={rate}: a share of the words; choose between 0 and 1")

    def __call__(self, done: float) -> float:
        return between(self.start, self.end, min(max(done, 0.0), 1.0))
