"""Runs side by side: in which settings they differ, and what those that differ only in their seed say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.errors import unknown
from mini_bert.plots.series import Series
from mini_bert.run_reports.history import is_number, series
from mini_bert.run_reports.student import Interval, finite_interval
from mini_bert.run_reports.summary import RunSummary, last_score
from mini_bert.settings import flat

SEED = "seed"
SCORES = ("loss", "held_out_loss", "held_out_accuracy", "held_out_perplexity", "seconds")


def differences(settings: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Setting → its value in each run, for those that are not the same in all; None where a run does not have it."""
    each = [flat(one) for one in settings]
    names = dict.fromkeys(name for one in each for name in one)
    values = {name: [one.get(name) for one in each] for name in names}
    return {name: found for name, found in values.items() if any(value != found[0] for value in found)}


@dataclass(frozen=True)
class Group:
    """Runs that differ in nothing but their seed."""

    name: str
    runs: tuple[RunSummary, ...]

    @property
    def title(self) -> str:
        return f"{self.name} (n = {len(self.runs)})"

    def interval(self, score: str) -> Interval | None:
        """The last score of each run, as a mean with its interval; None if no run has it."""
        return finite_interval([last_score(run, score) for run in self.runs])

    def mean(self, metric: str) -> tuple[Series, Array | None]:
        """The mean over the runs at each step that all of them logged, and half the width of its interval."""
        each = [series(run.lines, metric) for run in self.runs]
        each = [one for one in each if not one.is_empty]
        if len(each) == 1:
            return each[0], None
        steps = sorted(set.intersection(*(set(one.steps.tolist()) for one in each))) if each else []
        tables = [dict(zip(one.steps.tolist(), one.values.tolist(), strict=True)) for one in each]
        found = [finite_interval([table[step] for table in tables]) for step in steps]
        means = [one.mean if one else np.nan for one in found]
        halves = [one.half_width if one and one.half_width is not None else np.nan for one in found]
        return Series(np.array(steps), np.array(means)), np.array(halves)


def groups_by_seed(runs: Sequence[RunSummary]) -> list[Group]:
    """The groups in the order of their first runs, each named after the settings that set it apart."""
    together: dict[str, list[RunSummary]] = {}
    for run in runs:
        together.setdefault(str(sorted(flat(without_seed(run)).items())), []).append(run)
    members = list(together.values())
    apart = differences([without_seed(one[0]) for one in members])
    return [Group(described(number, apart, one[0]), tuple(one)) for number, one in enumerate(members)]


def without_seed(run: RunSummary) -> dict[str, Any]:
    return {name: value for name, value in run.settings.items() if name != SEED}


def described(number: int, apart: Mapping[str, Sequence[Any]], run: RunSummary) -> str:
    """`learning_rate=0.001 kind=lion`; if nothing sets a group apart, its model and text."""
    if not apart:
        return f"{run.model} on {run.corpus}"
    last_parts = [name.rpartition(".")[2] for name in apart]
    short = {
        name: last if last_parts.count(last) == 1 else name
        for name, last in zip(apart, last_parts, strict=True)
    }
    return " ".join(f"{short[name]}={values[number]}" for name, values in apart.items())


def check_metric(runs: Sequence[RunSummary], metric: str) -> None:
    """Refuse a metric that no run has logged."""
    known = sorted(
        {name for run in runs for line in run.lines for name in line if is_number(line[name])} - {"step"}
    )
    if not known:
        raise ValueError("these runs have logged nothing yet; wait for their first lines of metrics")
    if metric not in known:
        raise ValueError(unknown("metric", metric, known))
