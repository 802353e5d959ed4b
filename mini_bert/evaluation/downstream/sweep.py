"""Which learning rate suits a network: each is tried once, and judged by examples that do not count in the end.

Where a task has a test, dev chooses. Where dev is the judge, some of train is held back (finetuning/held_back.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from mini_bert.finetuning.config import FinetuningConfig
from mini_bert.finetuning.encoded import EncodedTask
from mini_bert.finetuning.held_back import with_some_held_back
from mini_bert.finetuning.learning import Diverged, finetune
from mini_bert.finetuning.tasks import Task
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report


class Tried(NamedTuple):
    """A learning rate and the score it led to; None if the weights went astray."""

    rate: float
    score: float | None


@dataclass(frozen=True)
class Sweep:
    """All rates that were tried for one network. Of several that are best, the lowest is chosen."""

    tried: tuple[Tried, ...]

    @property
    def chosen(self) -> float:
        scored = [one for one in self.tried if one.score is not None]
        if not scored:
            told = ", ".join(f"{one.rate:g}" for one in self.tried)
            raise ValueError(f"rates {told}: with none of them the model learns; choose lower ones")
        return min(scored, key=lambda one: (-(one.score or 0.0), one.rate)).rate

    def figures(self) -> dict[str, Any]:
        return {"chosen": self.chosen, "tried": [one._asdict() for one in self.tried]}


def checked_rates(rates: Sequence[float]) -> tuple[float, ...]:
    """From low to high, each once."""
    if any(not 0 < rate < float("inf") for rate in rates):
        raise ValueError(
            f"rates {', '.join(f'{rate:g}' for rate in rates)}: choose numbers above 0, like 3e-4"
        )
    return tuple(sorted(set(rates)))


def trial_task(task: Task) -> Task:
    """What the rates are tried on: dev is what chooses."""
    return replace(task, test=()) if task.test else with_some_held_back(task)


def tried(
    model: MiniBERT,
    trials: EncodedTask,
    config: FinetuningConfig,
    seed: int,
    report: Report,
    *,
    pretrained: bool,
) -> Tried:
    """What the rate of these settings leads to, after the last epoch."""
    rate = config.rate_for(model.config)
    try:
        run = finetune(model, trials, config, seed=seed, pretrained=pretrained, workers=1, report=report)
    except Diverged:
        return Tried(rate, None)
    return Tried(rate, run.epochs[-1].dev)
