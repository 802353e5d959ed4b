"""The guard: notices numbers that are not finite, and gradients that are suddenly far larger than before."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from math import isfinite, log, sqrt
from statistics import fmean
from typing import Any, Literal

Verdict = Literal["fine", "spike", "not finite"]

REMEMBERED = 100
ENOUGH = 20
LEAST_DEVIATION = 0.1
"""Of the logarithms: norms that hardly vary would make a spike of any change."""
NEW_LEVEL = 10
"""So many spikes in a row are no spikes: gradients have come to another size, by which they are judged from now on."""


class Guard:
    """Judges each step by its loss and gradient norm, against the norms of the last hundred steps."""

    def __init__(self, z_score: float) -> None:
        self.z_score = z_score
        self.logs: deque[float] = deque(maxlen=REMEMBERED)
        self.in_a_row = 0

    def judge(self, loss: float, norm: float) -> Verdict:
        """A spike is not remembered: a second one must not pass because of the first."""
        if not (isfinite(loss) and isfinite(norm)):
            return "not finite"
        if self.z(norm) > self.z_score:
            self.in_a_row += 1
            if self.in_a_row < NEW_LEVEL:
                return "spike"
            self.logs.clear()
        self.in_a_row = 0
        self.logs.append(log(max(norm, 1e-30)))
        return "fine"

    def z(self, norm: float) -> float:
        """Standard deviations between ln ‖g‖ and its recent mean; 0 as long as there are few to compare with."""
        if len(self.logs) < ENOUGH:
            return 0.0
        mean = fmean(self.logs)
        deviation = sqrt(fmean((entry - mean) ** 2 for entry in self.logs))
        return (log(max(norm, 1e-30)) - mean) / max(deviation, LEAST_DEVIATION)

    def state(self) -> dict[str, Any]:
        return {"logs": list(self.logs), "in_a_row": self.in_a_row}

    def load_state(self, state: Mapping[str, Any]) -> None:
        self.logs, self.in_a_row = deque(state["logs"], maxlen=REMEMBERED), int(state["in_a_row"])
