"""The share of hidden words moves with performance: who finds most of them is asked for more.

share = AdaptiveShare(0.15)
share.observe(accuracy)            # after each step
share.value                        # for the next one
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

TARGET = 0.5
"""The share of words found at which the share asked for stays as it is."""
LEAST, MOST = 0.10, 0.40
MEMORY = 0.98
"""How much of the smoothed accuracy is kept in a step: it looks back over about fifty."""
RATE = 0.02
"""How fast the share moves: by at most 1 % in a step."""


class AdaptiveShare:
    """accuracy ← 0.98 accuracy + 0.02 found,   share ← share · exp(0.02 (accuracy − 0.5)), within 10 and 40 %"""

    def __init__(self, start: float) -> None:
        self.value = min(max(start, LEAST), MOST)
        self.accuracy = TARGET

    def observe(self, found: float) -> None:
        """Take in the share of words that were found in a step."""
        self.accuracy += (1 - MEMORY) * (found - self.accuracy)
        self.value = min(max(self.value * exp(RATE * (self.accuracy - TARGET)), LEAST), MOST)

    def state(self) -> dict[str, float]:
        return {"value": self.value, "accuracy": self.accuracy}

    def load_state(self, state: Mapping[str, float]) -> None:
        self.value, self.accuracy = float(state["value"]), float(state["accuracy"])
