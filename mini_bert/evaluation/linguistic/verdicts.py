"""How often the good sentence of a pair is preferred; a tie counts half."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import fsum, hypot
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, share
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
    by_contrast: Mapping[Hashable, Counts] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        good: Array | Sequence[float],
        bad: Array | Sequence[float],
        contrasts: Sequence[Hashable] | None = None,
    ) -> Verdict:
        more, less = np.asarray(good), np.asarray(bad)
        better, ties = more > less, more == less
        by_contrast = {} if contrasts is None else counted_by(better, ties, contrasts)
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
        better, ties, pairs = np.array(list(self.by_contrast.values())).T
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


def counted_by(better: Array, ties: Array, contrasts: Sequence[Hashable]) -> dict[Hashable, Counts]:
    numbers: dict[Hashable, int] = {}
    of_pair = [numbers.setdefault(one, len(numbers)) for one in contrasts]
    counts = (np.bincount(of_pair, weights).astype(int).tolist() for weights in (better, ties, None))
    return dict(zip(numbers, map(Counts, *counts), strict=True))


Vector = dict[Hashable, float]
"""By contrast."""


def mean_accuracy(verdicts: Sequence[Verdict]) -> Estimate:
    """The mean over K paradigms, each with the same weight.

        low = mean − √Σ_c (Σ_k (p_k − low_k) u_kc)² / K,   Σ_c u_kc² = 1          and so for high

    Paradigms share contrasts c, and who likes a word likes it in all of them. So what each may err by is laid out over
    its contrasts as its residuals are (`direction`), and added contrast by contrast: in full where paradigms err in the
    same words, like independent parts where they share none (Zou 2008). But for Wilson's bounds and Student's t, which
    are each paradigm's own, this is the clustered variance of the mean, Σ_c (Σ_k Σ_{i in c} (x_i − p_k) / (K n_k))².

    So no paradigm is taken for certain: one with all or none right, or of a single contrast, has the interval of
    `share_of_few` though it has no residuals. Nor do paradigms make up for each other that err in opposite words, which
    in few words may be chance: the interval is never narrower than that of independent parts.

    The interval tells of the words drawn, not of the paradigms: others might be harder.
    """
    K = len(verdicts)
    known = [verdict.accuracy for verdict in verdicts]
    margins = [
        (value - low, high - value) for value, low, high in known if low is not None and high is not None
    ]
    directions = list(map(direction, verdicts))
    below, above = (
        max(hypot(*lengths), length_of_sum(map(scaled, directions, lengths))) / K
        for lengths in zip(*margins, strict=True)
    )
    mean = fsum(1 / K * one.value for one in known)
    return Estimate(mean, mean - below, mean + above)


def direction(verdict: Verdict) -> Vector:
    """The residuals Σ_{i in c} (x_i − p) of contrasts c, as a vector of length 1.

    Where all are 0, the numbers of pairs, as if those of a contrast always erred together; but apart from contrasts
    whose residuals are known, for nothing shows whether they err with them. Pairs without contrasts err alone.
    """
    right = 2 * verdict.better + verdict.ties
    residuals: Vector = {
        contrast: (2 * counts.better + counts.ties) * verdict.pairs - right * counts.pairs
        for contrast, counts in verdict.by_contrast.items()
    }
    if any(residuals.values()):
        return scaled(residuals, 1 / length_of_sum([residuals]))
    pairs: Vector = {("pairs", contrast): counts.pairs for contrast, counts in verdict.by_contrast.items()}
    return scaled(pairs, 1 / length_of_sum([pairs])) if pairs else {object(): 1.0}


def scaled(vector: Vector, by: float) -> Vector:
    return {contrast: by * x for contrast, x in vector.items()}


def length_of_sum(vectors: Iterable[Vector]) -> float:
    """√Σ_c (Σ_k v_kc)²"""
    total: defaultdict[Hashable, float] = defaultdict(float)
    for vector in vectors:
        for contrast, x in vector.items():
            total[contrast] += x
    return hypot(*total.values())
