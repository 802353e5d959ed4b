"""How long a run is, and how much of it is done: in steps, tokens or minutes."""

from __future__ import annotations

from dataclasses import dataclass

from mini_bert.errors import counted
from mini_bert.training.config_groups import BudgetConfig


@dataclass
class Spent:
    """What a run has used up so far."""

    steps: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Budget:
    """A number of steps, tokens or minutes."""

    config: BudgetConfig

    def share(self, spent: Spent) -> float:
        """The share of the budget that is used up; 1 or more ends the run."""
        if self.config.steps is not None:
            return spent.steps / self.config.steps
        if self.config.tokens is not None:
            return spent.tokens / self.config.tokens
        assert self.config.minutes is not None
        return spent.seconds / (60 * self.config.minutes)

    def middle_of_next_step(self, spent: Spent, tokens: int, seconds: float) -> float:
        """Where the next step stands in the run, if it takes so many tokens and seconds: schedules are asked there."""
        half = Spent(spent.steps, spent.tokens + tokens // 2, spent.seconds + seconds / 2)
        if self.config.steps is not None:
            return (spent.steps + 0.5) / self.config.steps
        return min(self.share(half), (self.share(spent) + 1) / 2)

    def ends_with(self, spent: Spent, tokens: int) -> bool:
        """Whether a step of so many tokens is the last, as far as that can be known before it is done."""
        return self.config.minutes is None and self.share(Spent(spent.steps + 1, spent.tokens + tokens)) >= 1

    def __str__(self) -> str:
        name, value = next((name, value) for name, value in self.config if value is not None)
        return counted(value, name.removesuffix("s"))
