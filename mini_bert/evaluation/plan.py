"""What an evaluation is going to do, and how long that will take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mini_bert.checked import Checked
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.suites import Entry, Size, Suite
from mini_bert.evaluation.task_folder import TaskFolder

SHORTEST = 0.1
"""Seconds that an exam is taken to last at least, so that every one moves the bar."""


class LeftOut(NamedTuple):
    """An exam that does not apply, and why."""

    suite: str
    exam: str
    reason: str


@dataclass(frozen=True)
class Planned:
    suite: Suite
    entry: Entry
    settings: Checked
    seconds: float


@dataclass(frozen=True)
class Plan:
    exams: tuple[Planned, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def seconds(self) -> float:
        """About how long it will take."""
        return sum(one.seconds for one in self.exams)


def plan_of(
    subject: Subject, tasks: TaskFolder | None, suites: Iterable[Suite], size: Size, seed: int, pace: Pace
) -> Plan:
    """The exams that apply, each with its settings; the seed goes to those that draw lots."""
    exams: list[Planned] = []
    left_out: list[LeftOut] = []
    for suite in suites:
        for entry in suite.entries:
            settings = entry.settings(size)
            if settings is None:
                other = "full" if size == "quick" else "quick"
                left_out.append(
                    LeftOut(suite.name, entry.exam, f"not in a {size} evaluation; --{other} has it")
                )
                continue
            settings = with_seed(settings, seed)
            try:
                seconds = entry.module.seconds(subject, tasks, settings, pace)
            except DoesNotApply as reason:
                left_out.append(LeftOut(suite.name, entry.exam, str(reason)))
            else:
                exams.append(Planned(suite, entry, settings, max(seconds, SHORTEST)))
    return Plan(tuple(exams), tuple(left_out))


def with_seed(settings: Checked, seed: int) -> Checked:
    """Another seed gives other lots, and 0 the usual ones: it is added to the exam's own, which may name a split."""
    own = getattr(settings, "seed", None)
    return settings if own is None else settings.model_copy(update={"seed": own + seed})
