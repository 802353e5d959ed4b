"""How often the good sentence of a pair is preferred; a tie counts half."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, mixed, share


class Verdict(NamedTuple):
    """Of so many pairs the good sentence was found better, and in so many neither was."""

    better: int
    ties: int
    pairs: int

    @classmethod
    def of(cls, good: Array | Sequence[float], bad: Array | Sequence[float]) -> Verdict:
        more, less = np.asarray(good), np.asarray(bad)
        return cls(int((more > less).sum()), int((more == less).sum()), len(more))

    @classmethod
    def together(cls, parts: Iterable[Verdict]) -> Verdict:
        better, ties, pairs = map(sum, zip(*parts, strict=True))
        return cls(better, ties, pairs)

    @property
    def accuracy(self) -> Estimate:
        """Half the share that is better plus half the share that is no worse; of each, Wilson's interval."""
        worst, best = share(self.better, self.pairs), share(self.better + self.ties, self.pairs)
        value, low, high = (
            (a + b) / 2 for a, b in zip(worst, best, strict=True) if a is not None and b is not None
        )
        return Estimate(value, low, high)

    def as_dict(self) -> dict[str, Any]:
        value, low, high = self.accuracy
        return {"accuracy": value, "low": low, "high": high, "pairs": self.pairs, "ties": self.ties}


def mean_accuracy(verdicts: Sequence[Verdict]) -> Estimate:
    """The mean over paradigms, each with the same weight.

    Its interval is made of theirs, and tells of the pairs drawn, not of the paradigms: others might be harder.
    """
    known = [verdict.accuracy for verdict in verdicts]
    return mixed(known, [1 / len(known)] * len(known))
