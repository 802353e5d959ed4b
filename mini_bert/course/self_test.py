"""The checks are checked: what is unsolved fails, solutions pass, classic wrong answers are told as what they are."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mini_bert.course.apart import judged_each_apart
from mini_bert.course.exercise import Exercise
from mini_bert.course.gaps import with_open_gaps
from mini_bert.course.mutants import mutants_of
from mini_bert.course.verdict import Verdict

Role = Literal["unsolved", "solution", "mutant"]


@dataclass(frozen=True)
class Case:
    """A source, and what its verdict must be."""

    exercise: Exercise
    role: Role
    source: str
    mutant: str = ""
    told: str = ""

    @property
    def name(self) -> str:
        return f"{self.exercise.name}, {self.role}{f' “{self.mutant}”' if self.mutant else ''}"

    def fault(self, verdict: Verdict) -> str | None:
        """Why this verdict is not the right one."""
        if self.role == "solution":
            return None if verdict.passed else f"does not pass: {verdict.message}"
        if self.role == "unsolved":
            return None if verdict.kind == "open" else f"is told as {verdict.kind}: {verdict.message}"
        if verdict.kind in ("passed", "open", "checker"):
            return f"is told as {verdict.kind}: {verdict.message}"
        return None if self.told in verdict.message else f"is not told “{self.told}”, but: {verdict.message}"


@dataclass(frozen=True)
class Outcome:
    case: Case
    verdict: Verdict

    @property
    def fault(self) -> str | None:
        return self.case.fault(self.verdict)


def cases_of(exercise: Exercise) -> list[Case]:
    solution = exercise.solution
    return [
        Case(exercise, "unsolved", with_open_gaps(solution, exercise.name)),
        Case(exercise, "solution", solution),
        *(
            Case(exercise, "mutant", mutant.applied_to(solution), mutant.name, mutant.told)
            for mutant in mutants_of(exercise)
        ),
    ]


def self_test(chosen: Sequence[Exercise], done: Callable[[Outcome], None] = lambda _: None) -> list[Outcome]:
    """Every case as a learner's file is, in a process of its own; as many exercises at once as there are cores."""

    def judged(exercise: Exercise) -> list[Outcome]:
        cases = cases_of(exercise)
        with tempfile.TemporaryDirectory(prefix="mini-bert-course-") as place:
            files = [Path(place) / f"{i}_{exercise.file_name}" for i in range(len(cases))]
            for case, file in zip(cases, files, strict=True):
                file.write_text(case.source, "utf-8")
            verdicts = judged_each_apart(exercise, files)
        outcomes = [Outcome(case, verdict) for case, verdict in zip(cases, verdicts, strict=True)]
        for outcome in outcomes:
            done(outcome)
        return outcomes

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [outcome for found in pool.map(judged, chosen) for outcome in found]
