"""The exercises, by their order and name. Kept light: the process that judges imports it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mini_bert.errors import unknown

HOME = Path(__file__).parent / "exercises"
NUMBERED = re.compile(r"(\d\d)_([a-z][a-z0-9_]*)")


@dataclass(frozen=True)
class Exercise:
    """One exercise: `name` is its folder's, like 07_softmax."""

    name: str

    @property
    def folder(self) -> Path:
        return HOME / self.name

    @property
    def number(self) -> int:
        return int(self.name.partition("_")[0])

    @property
    def file_name(self) -> str:
        """What the learner's file is called."""
        return f"{self.name}.py"

    @cached_property
    def solution(self) -> str:
        return (self.folder / "solution.py").read_text("utf-8")


def exercises() -> list[Exercise]:
    """All of them, in order."""
    found = sorted(path.name for path in HOME.iterdir() if NUMBERED.fullmatch(path.name))
    return [Exercise(name) for name in found]


def exercise_named(name: str) -> Exercise:
    """By its name, its number, its name without the number, or the learner's file.

    >>> [exercise_named(name).name for name in ("07_softmax", "7", "softmax", "my/07_softmax.py")]
    ['07_softmax', '07_softmax', '07_softmax', '07_softmax']
    """
    known = exercises()
    asked = Path(name).name.removesuffix(".py").replace("-", "_")
    for exercise in known:
        number, _, title = exercise.name.partition("_")
        if asked in (exercise.name, title) or (asked.isdecimal() and int(asked) == int(number)):
            return exercise
    raise ValueError(f"{unknown('exercise', asked, [exercise.name for exercise in known])}")
