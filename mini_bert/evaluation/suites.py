"""Suites: which exams belong together, and how much of each a quick and a full evaluation asks.

    title: Linguistic, zero-shot
    exams:
      - exam: minimal-pairs
        quick: {max_pairs: 40}     # settings of the exam; those that are not named keep their defaults
        full: {}
        checkpoint: {max_pairs: 10}   # of each checkpoint of a run; an exam that does not say is not asked there
      - exam: forgetting
        quick: false               # not in a quick evaluation

`suite("probing")` is one of the package, `suite("my.yaml")` one of yours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from mini_bert.checked import Checked
from mini_bert.errors import unknown
from mini_bert.evaluation.exam import Pace
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report
from mini_bert.settings import read_yaml

SUITES = ("intrinsic", "linguistic", "probing", "representations", "downstream")
"""Those of the package, in the order in which a report tells them."""
EXAMS = {
    "hidden-words": "mini_bert.evaluation.intrinsic.exam",
    "gradients": "mini_bert.evaluation.intrinsic.gradient_health",
    "one-batch": "mini_bert.evaluation.intrinsic.overfit",
    "minimal-pairs": "mini_bert.evaluation.linguistic.minimal_pairs",
    "agreement": "mini_bert.evaluation.linguistic.agreement",
    "similarity": "mini_bert.evaluation.linguistic.similarity",
    "analogies": "mini_bert.evaluation.linguistic.analogies",
    "facts": "mini_bert.evaluation.linguistic.facts",
    "composition": "mini_bert.evaluation.linguistic.composition",
    "word-labels": "mini_bert.evaluation.probing.exam",
    "dependency-trees": "mini_bert.evaluation.probing.structural",
    "coreference": "mini_bert.evaluation.probing.coreference",
    "representations": "mini_bert.evaluation.representations.exam",
    "fine-tuning": "mini_bert.evaluation.downstream.exam",
    "across-training": "mini_bert.evaluation.when_learned",
}
"""The module of each exam."""
Size = Literal["quick", "full", "checkpoint"]
SIZES: tuple[Size, ...] = ("quick", "full", "checkpoint")


class ExamModule(Protocol):
    """What an exam is made of; see evaluation/exam.py."""

    Settings: type[Checked]

    def examine(
        self, subject: Subject, tasks: TaskFolder | None, settings: Any, report: Report
    ) -> list[Section]: ...

    def seconds(self, subject: Subject, tasks: TaskFolder | None, settings: Any, pace: Pace) -> float: ...


@dataclass(frozen=True)
class Entry:
    """An exam in a suite; a size that is not asked has no settings."""

    exam: str
    sizes: Mapping[Size, Checked]

    def settings(self, size: Size) -> Checked | None:
        return self.sizes.get(size)

    @property
    def module(self) -> ExamModule:
        return module_of(self.exam)


@dataclass(frozen=True)
class Suite:
    name: str
    title: str
    entries: tuple[Entry, ...]


def suite(name: str) -> Suite:
    """The suite of that name, or the one in that YAML file."""
    path = Path(name)
    if path.suffix in {".yaml", ".yml"}:
        try:
            text = path.expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{name}: {error}; name a YAML file, or one of {', '.join(SUITES)}") from None
        return parsed(text, name, path.stem)
    if name not in SUITES:
        raise ValueError(f"{unknown('suite', name, list(SUITES))} (or name a YAML file of your own)")
    text = files("mini_bert").joinpath("configs", "evaluation", f"{name}.yaml").read_text("utf-8")
    return parsed(text, f"{name}.yaml", name)


def asking(suites: Sequence[Suite], exams: Sequence[str]) -> list[Suite]:
    """The suites, in which these exams are asked at every size; those that are in none of them come at the end."""
    found = [
        replace(one, entries=tuple(always(entry) if entry.exam in exams else entry for entry in one.entries))
        for one in suites
    ]
    missing = [name for name in exams if name not in {entry.exam for one in suites for entry in one.entries}]
    if missing:
        found.append(Suite("beside", "Asked beside", tuple(always(Entry(name, {})) for name in missing)))
    return found


def always(entry: Entry) -> Entry:
    usual = module_of(entry.exam).Settings()
    return replace(entry, sizes={"quick": usual, "full": usual, **entry.sizes})


def parsed(text: str, origin: str, name: str) -> Suite:
    settings = read_yaml(text, origin)
    check_keys(settings, ("title", "exams"), origin)
    listed = settings.get("exams")
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"{origin}: exams: expected a list with at least one `- exam: NAME`")
    entries = [entry(one, f"{origin}: exam {number}") for number, one in enumerate(listed, 1)]
    return Suite(name, str(settings.get("title", name)), tuple(entries))


def entry(given: Any, where: str) -> Entry:
    if not isinstance(given, Mapping) or not isinstance(given.get("exam"), str):
        raise ValueError(f"{where}: expected `exam: NAME` with {' and '.join(SIZES)}, found {given!r}")
    check_keys(given, ("exam", *SIZES), where)
    name = given["exam"]
    if name not in EXAMS:
        raise ValueError(f"{where}: {unknown('exam', name, list(EXAMS))}")
    told = {"quick": {}, "full": {}, **given}
    found = {
        size: settings_of(name, told[size], f"{where}, {name}, {size}") for size in SIZES if size in told
    }
    return Entry(name, {size: settings for size, settings in found.items() if settings is not None})


def settings_of(exam: str, given: Any, where: str) -> Checked | None:
    if given is False:
        return None
    if not isinstance(given, Mapping):
        raise ValueError(
            f"{where}: expected settings by name, or false to leave the exam out; found {given!r}"
        )
    try:
        return module_of(exam).Settings.parse(given)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def module_of(exam: str) -> ExamModule:
    return cast(ExamModule, import_module(EXAMS[exam]))


def check_keys(given: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            raise ValueError(f"{where}: {unknown('key', str(key), list(known))}")
