"""What an evaluation found, and its report: a page for people, JSON for programs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from mini_bert.evaluation.abilities import Ability, ability_of
from mini_bert.evaluation.plan import LeftOut, Planned
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.suites import Size
from mini_bert.files import make_folder, write_atomically
from mini_bert.plain_json import portable

PAGE, FIGURES = "report.html", "report.json"


@dataclass(frozen=True)
class Result:
    """An exam that was held: what it found, and how long it took."""

    planned: Planned
    sections: Sequence[Section]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "suite": self.planned.suite.name,
            "exam": self.planned.entry.exam,
            "settings": self.planned.settings.model_dump(mode="json"),
            "seconds": round(self.seconds, 3),
            "seconds_foretold": round(self.planned.seconds, 3),
            "sections": [
                {"name": section.name, "title": section.title, "figures": dict(section.figures)}
                for section in self.sections
            ],
        }


@dataclass(frozen=True)
class Evaluation:
    """`model`, `versions` and `command` say of what and by what; `foretold` are the seconds that were expected."""

    model: Mapping[str, Any]
    size: Size
    tasks: str | None
    seed: int
    command: str
    versions: Mapping[str, str]
    date: str
    seconds: float
    foretold: float
    results: tuple[Result, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def sections(self) -> list[Section]:
        return [section for result in self.results for section in result.sections]

    @property
    def abilities(self) -> list[Ability]:
        """The summary: sections in which a share of the model stands beside one of a rival."""
        return [ability for section in self.sections if (ability := ability_of(section))]

    @property
    def reasons(self) -> list[str]:
        """What was left out and why, those with the same reason together."""
        exams: dict[str, list[str]] = {}
        for one in self.left_out:
            exams.setdefault(one.reason, []).append(one.exam)
        return [f"{', '.join(names)}: {reason}" for reason, names in exams.items()]

    def as_dict(self) -> dict[str, Any]:
        """What report.json holds."""
        return {
            "model": dict(self.model),
            "size": self.size,
            "data": self.tasks or "embedded world",
            "seed": self.seed,
            "command": self.command,
            "date": self.date,
            "versions": dict(self.versions),
            "seconds": round(self.seconds, 3),
            "seconds_foretold": round(self.foretold, 3),
            "summary": [ability.as_dict() for ability in self.abilities],
            "exams": [result.as_dict() for result in self.results],
            "left_out": [one._asdict() for one in self.left_out],
        }

    def write(self, folder: str | PathLike[str]) -> Path:
        """Write report.html and report.json, in place of those that may be there; returns where the page is.

        Nothing is written before everything is drawn.
        """
        from mini_bert.evaluation.report_page import page_of

        place = Path(folder).expanduser()
        figures = json.dumps(portable(self.as_dict()), indent=2, allow_nan=False) + "\n"
        page = page_of(self)
        make_folder(place)
        write_atomically(place / FIGURES, figures.encode())
        write_atomically(place / PAGE, page.encode())
        return place / PAGE


def check_place(folder: Path) -> None:
    """Refuse a place where no report could be written, before hours are spent on it; nothing is made yet."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise ValueError(f"{there}: is a file, not a folder; choose another --output")
    if not os.access(there, os.W_OK):
        raise ValueError(f"{there}: may not be written; choose another --output")
