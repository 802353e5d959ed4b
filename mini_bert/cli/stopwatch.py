"""Fair races: every contestant takes its turn in every round, so that a busy moment of the machine hits them all."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter


def race(
    contestants: Mapping[str, Callable[[], object]], rounds: int, report: Callable[[float, str], None]
) -> dict[str, list[float]]:
    """Seconds of each contestant in each round; the order turns around from round to round."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    turns = [
        name for number in range(rounds) for name in (list(contestants)[::-1] if number % 2 else contestants)
    ]
    for number, name in enumerate(turns):
        report(number / len(turns), name)
        gc.collect()
        start = perf_counter()
        contestants[name]()
        seconds[name].append(perf_counter() - start)
    return seconds


def ratio(theirs: list[float], ours: list[float]) -> float:
    """How many times our time they take: the median over the rounds. Above 1, ours is faster."""
    return median(their / our for their, our in zip(theirs, ours, strict=True))
