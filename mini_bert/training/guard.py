"""The guard: notices numbers that are not finite, and gradients that are suddenly far larger than before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import isfinite, log, sqrt
from statistics import fmean
from typing import Literal

import numpy as np

from mini_bert.core.arena import Arena

Verdict = Literal["fine", "spike", "not finite"]

REMEMBERED = 100
ENOUGH = 20
LEAST_DEVIATION = 0.1
"""Of the logarithms: norms that hardly vary would make a spike of any change."""


class Guard:
    """Judges each step by its loss and gradient norm, against the norms of the last hundred steps."""

    def __init__(self, z_score: float) -> None:
        self.z_score = z_score
        self.logs: deque[float] = deque(maxlen=REMEMBERED)

    def judge(self, loss: float, norm: float) -> Verdict:
        """A spike is not remembered: a second one must not pass because of the first."""
        if not (isfinite(loss) and isfinite(norm)):
            return "not finite"
        if self.z(norm) > self.z_score:
            return "spike"
        self.logs.append(log(max(norm, 1e-30)))
        return "fine"

    def z(self, norm: float) -> float:
        """Standard deviations between ln ‖g‖ and its recent mean; 0 as long as there are few to compare with."""
        if len(self.logs) < ENOUGH:
            return 0.0
        mean = fmean(self.logs)
        deviation = sqrt(fmean((entry - mean) ** 2 for entry in self.logs))
        return (log(max(norm, 1e-30)) - mean) / max(deviation, LEAST_DEVIATION)

    def state(self) -> list[float]:
        return list(self.logs)

    def load_state(self, logs: Iterable[float]) -> None:
        self.logs = deque(logs, maxlen=REMEMBERED)


def culprits(grads: Arena, most: int = 3) -> list[str]:
    """The weights whose gradients are not finite, or else those with the largest ones."""
    broken = [name for name, grad in grads.items() if not np.isfinite(grad).all()]
    if broken:
        return broken[:most]
    norms = {name: float(np.linalg.norm(grad)) for name, grad in grads.items()}
    return sorted(norms, key=lambda name: -norms[name])[:most]
