"""An exercise's page: what it is about, its theory, its task, its hints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import Field, model_validator

from mini_bert.checked import Checked
from mini_bert.course.exercise import Exercise
from mini_bert.course.limits import SECONDS
from mini_bert.settings import read_yaml

IDEA, TASK, AFTERWARDS = "The idea", "Your task", "Afterwards"
HINTS = ("Hint 1", "Hint 2", "Hint 3")
SECTIONS = (IDEA, TASK, *HINTS, AFTERWARDS)
PHASES: dict[int | str, str] = {
    1: "The building blocks",
    2: "Attention",
    3: "The whole model",
    4: "Training",
    5: "Evaluation",
    6: "Experiments",
    "advanced": "Advanced weeks",
}


class About(Checked):
    """The front matter. A phase has days, the advanced weeks have weeks; `seconds` is how long a check may compute."""

    title: str
    phase: Literal[1, 2, 3, 4, 5, 6, "advanced"]
    day: int | None = Field(None, ge=1, le=16)
    week: int | None = Field(None, ge=1, le=8)
    minutes: int = Field(ge=1)
    difficulty: int = Field(ge=1, le=5)
    tier: Literal["core", "hard"] = "core"
    needs: list[str] = Field(default_factory=list)
    seconds: float = Field(SECONDS, gt=0, le=120)

    @model_validator(mode="after")
    def has_its_time(self) -> About:
        if (self.day is None) == (self.week is None):
            raise ValueError("give a day or a week, and not both")
        return self

    @property
    def when(self) -> str:
        return f"day {self.day}" if self.day is not None else f"week {self.week}"


@dataclass(frozen=True)
class Page:
    about: About
    sections: dict[str, str]

    def hint(self, number: int) -> str:
        """The first one is number 1."""
        return self.sections[HINTS[number - 1]]


@cache
def page_of(exercise: Exercise) -> Page:
    where = f"{exercise.name}/page.md"
    _, front, text = re.split(
        r"^---\n", (exercise.folder / "page.md").read_text("utf-8"), maxsplit=2, flags=re.M
    )
    found = re.split(r"^## (.+)\n", text, flags=re.M)
    sections = {title: body.strip("\n") for title, body in zip(found[1::2], found[2::2], strict=True)}
    if found[0].strip() or tuple(sections) != SECTIONS:
        raise ValueError(f"{where}: its sections are {', '.join(sections)}; write {', '.join(SECTIONS)}")
    try:
        return Page(About(**read_yaml(front, where)), sections)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
