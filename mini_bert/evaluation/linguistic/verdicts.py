"""How often the good sentence of a pair is preferred; a tie counts half."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, mixed, share
from mini_bert.evaluation.intrinsic.clustered import share_of_few


class Counts(NamedTuple):
    better: int
    ties: int
    pairs: int


@dataclass(frozen=True)
class Verdict:
    """Of so many pairs the good sentence was found better, and in so many neither was.

    `by_contrast` are the same counts of the pairs that differ in the same words; empty: each pair stands for itself.
    """

    better: int
    ties: int
    pairs: int
    by_contrast: tuple[Counts, ...] = ()

    @classmethod
    def of(
        cls,
        good: Array | Sequence[float],
        bad: Array | Sequence[float],
        contrasts: Sequence[Hashable] | None = None,
    ) -> Verdict:
        more, less = np.asarray(good), np.asarray(bad)
        better, ties = more > less, more == less
        by_contrast = () if contrasts is None else counted_by(better, ties, contrasts)
        return cls(int(better.sum()), int(ties.sum()), len(more), by_contrast)

    @cached_property
    def accuracy(self) -> Estimate:
        """Half the share that is better plus half the share that is no worse; of each, Wilson's interval.

        It is for as many pairs as those of so few contrasts are worth; of a single contrast, whose pairs tell nothing
        of other words, for one.
        """
        worst, best = self.shares()
        value, low, high = (
            (a + b) / 2 for a, b in zip(worst, best, strict=True) if a is not None and b is not None
        )
        return Estimate(value, low, high)

    def shares(self) -> tuple[Estimate, Estimate]:
        if not self.by_contrast:
            return share(self.better, self.pairs), share(self.better + self.ties, self.pairs)
        better, ties, pairs = np.array(self.by_contrast).T
        return share_of_few(better, pairs), share_of_few(better + ties, pairs)

    @property
    def contrasts(self) -> int:
        return len(self.by_contrast) or self.pairs

    def as_dict(self) -> dict[str, Any]:
        value, low, high = self.accuracy
        return {
            "accuracy": value,
            "low": low,
            "high": high,
            "pairs": self.pairs,
            "contrasts": self.contrasts,
            "ties": self.ties,
        }


def counted_by(better: Array, ties: Array, contrasts: Sequence[Hashable]) -> tuple[Counts, ...]:
    numbers: dict[Hashable, int] = {}
    of_pair = [numbers.setdefault(one, len(numbers)) for one in contrasts]
    counts = (np.bincount(of_pair, weights).astype(int).tolist() for weights in (better, ties, None))
    return tuple(map(Counts, *counts))


def mean_accuracy(verdicts: Sequence[Verdict]) -> Estimate:
    """The mean over paradigms, each with the same weight.

    Its interval is made of theirs, and tells of the words drawn, not of the paradigms: others might be harder.
    """
    known = [verdict.accuracy for verdict in verdicts]
    return mixed(known, [1 / len(known)] * len(known))
