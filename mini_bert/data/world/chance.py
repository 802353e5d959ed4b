"""Chance: every choice of a story comes from one stream of random numbers."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Option = TypeVar("Option")


class Chance:
    """Picks from sequences; `random()` is uniform between 0 and 1."""

    def __init__(self, rng: Random) -> None:
        self.random = rng.random
        self.used: set[object] = set()

    def pick(self, options: Sequence[Option]) -> Option:
        return options[int(self.random() * len(options))]

    def roll(self, sides: int) -> int:
        return int(self.random() * sides)

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def fresh(self, options: Sequence[Option]) -> Option:
        """An option that was not drawn so before, if a few tries find one."""
        for _ in range(20):
            option = self.pick(options)
            if option not in self.used:
                break
        self.used.add(option)
        return option
