"""Contestants who do the same work in turns: how their times are taken, summed up and shown.

A piece of work has a title, `tokens` and `flops`; see bench_train and bench_inference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from statistics import median, quantiles
from typing import Any, Protocol

from mini_bert.cli.bench_ours import SGEMM_SIZE
from mini_bert.cli.fitting import FittingTable
from mini_bert.cli.screen import console, table
from mini_bert.cli.stopwatch import ratio
from mini_bert.cli.turns import Contestant, take_turns
from mini_bert.cli.units import in_bytes, in_flops, percent
from mini_bert.reports import Report

WARM_UP = 3
OURS, SGEMM = "ours", "sgemm"


class Work(Protocol):
    @property
    def title(self) -> str: ...

    @property
    def tokens(self) -> int: ...

    @property
    def flops(self) -> int: ...


def hold(
    contestants: Mapping[str, Contestant], rounds: int, report: Report
) -> tuple[dict[str, list[float]], dict[str, Any]]:
    """The seconds of each contestant in each round, the machine's sgemm among them, and the memory each took."""
    everyone = {**contestants, SGEMM: Contestant("mini_bert.cli.bench_ours", SGEMM)}
    with ExitStack() as opened:
        for contestant in everyone.values():
            opened.enter_context(contestant)
        for _ in range(WARM_UP):
            for contestant in everyone.values():
                contestant.ask("step")
        seconds = take_turns(everyone, rounds, report)
        return seconds, {name: contestant.ask("memory") for name, contestant in contestants.items()}


def summary(
    work: Work, seconds: Mapping[str, list[float]], resident: Mapping[str, int | None]
) -> dict[str, Any]:
    """Medians and fastest of each; the ratio's quartiles say how far the rounds agree."""
    sgemm_flops = 2 * SGEMM_SIZE**3
    found: dict[str, Any] = {"tokens": work.tokens, "flops": work.flops}
    for name, size in resident.items():
        spent = seconds[name]
        found |= {
            f"{name}_ms": 1e3 * median(spent),
            f"{name}_min_ms": 1e3 * min(spent),
            f"{name}_tokens_per_second": work.tokens / median(spent),
            f"{name}_resident_bytes": size,
        }
        if name != OURS:
            found[f"ratio_{name}"] = ratio(spent, seconds[OURS])
            found[f"ratio_{name}_quartiles"] = quartiles(spent, seconds[OURS])
            found[f"ratio_{name}_fastest"] = min(spent) / min(seconds[OURS])
    found["sgemm_flops_per_second"] = sgemm_flops / median(seconds[SGEMM])
    found["sgemm_fraction"] = work.flops / sgemm_flops * ratio(seconds[SGEMM], seconds[OURS])
    return found


def quartiles(theirs: list[float], ours: list[float]) -> list[float]:
    """Half of the rounds have a ratio between these two."""
    ratios = [their / our for their, our in zip(theirs, ours, strict=True)]
    if len(ratios) == 1:
        return ratios * 2
    lower, _, upper = quantiles(ratios, method="inclusive")
    return [lower, upper]


def show(
    results: Mapping[str, Mapping[str, Any]],
    works: Mapping[str, Work],
    names: Mapping[str, str],
    rounds: int,
    note: str | None,
    more: Callable[[Mapping[str, Any]], str] = lambda found: "",
) -> None:
    """A table for each piece of work; `more` ends the sentence about ours."""
    screen = console()
    for key, found in results.items():
        screen.print(times(f"{works[key].title}, {rounds} rounds", found, names))
        for name in names:
            if between := found.get(f"ratio_{name}_quartiles"):
                screen.print(
                    f"{names[name]}: half of the rounds {between[0]:.2f} to {between[1]:.2f}, "
                    f"fastest by fastest {found[f'ratio_{name}_fastest']:.2f}."
                )
        screen.print(
            f"Ours: {percent(found['sgemm_fraction'])} of this machine's sgemm peak, "
            f"{in_flops(found['sgemm_flops_per_second'])} per second{more(found)}.\n"
        )
    if note:
        screen.print(f"Ours alone: {note}.", markup=False)


def times(title: str, found: Mapping[str, Any], names: Mapping[str, str]) -> FittingTable:
    made = table(title, "", "ms", "fastest", "tokens/s", "× our time", "memory")
    for key in (key for key in names if f"{key}_ms" in found):
        resident = found[f"{key}_resident_bytes"]
        made.add_row(
            names[key],
            f"{found[f'{key}_ms']:.1f}",
            f"{found[f'{key}_min_ms']:.1f}",
            f"{found[f'{key}_tokens_per_second']:,.0f}",
            f"{found.get(f'ratio_{key}', 1.0):.2f}",
            in_bytes(resident) if resident else "",
        )
    return made


def part_of(report: Report, number: int, count: int) -> Report:
    """Reports one of several equal parts of the work."""
    return lambda done, note: report((number + done) / count, note)
