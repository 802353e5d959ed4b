"""Which runs can be looked at. A request names one of them by an id from this list, never by a path."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from mini_bert.errors import unknown
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.question import Question
from mini_bert.files import cache_folder
from mini_bert.pretrained.places import RUNS
from mini_bert.pretrained.training_record import RECORD
from mini_bert.run_reports.search import walk
from mini_bert.training.run_folder import run_of_checkpoint

MOST_RUNS = 200


class Found(NamedTuple):
    """A run's folder, or with `is_record` the file that a packed model keeps of its run; `of_model`: it made the
    model that the page has chosen."""

    id: str
    name: str
    path: Path
    is_record: bool
    of_model: bool


def found_runs(desk: Desk, question: Question) -> dict[str, Found]:
    """By id: the run of the chosen model first, then those under ./runs, and the last demo."""
    made: dict[Path, tuple[str, bool, bool]] = {}
    for name, path, is_record, of_model in places(desk, question):
        made.setdefault(path.resolve(), (name, is_record, of_model))
        if len(made) == MOST_RUNS:
            break
    names = [name for name, *_ in made.values()]
    found = {}
    for path, (name, is_record, of_model) in made.items():
        one = Found(
            name if names.count(name) == 1 else f"{name}~{digest(path)}", name, path, is_record, of_model
        )
        found[one.id] = one
    return found


def places(desk: Desk, question: Question) -> Iterator[tuple[str, Path, bool, bool]]:
    """name, path, whether it is a record, whether it is of the chosen model"""
    folder = desk.model(question.model).folder
    if folder is not None:
        if run := run_of_checkpoint(folder):
            yield run.path.resolve().name, run.path, False, True
        elif (folder / RECORD).is_file():
            yield folder.resolve().name, folder / RECORD, True, True
    if RUNS.is_dir():
        for path in sorted(walk(RUNS)):
            yield (
                path.relative_to(RUNS).as_posix() if path != RUNS else path.resolve().name,
                path,
                False,
                False,
            )
    for path in walk(cache_folder() / "demo"):
        yield "the last demo", path, False, False


def chosen_run(desk: Desk, question: Question, run: str) -> Found:
    """The run of an id."""
    runs = found_runs(desk, question)
    if run not in runs:
        raise ValueError(
            unknown("run", run, list(runs))
            if runs
            else f"run {run!r}: there is none here; begin one with `mini-bert train`"
        )
    return runs[run]


def digest(path: Path) -> str:
    """A few letters that stay the same for a path, and do not tell it."""
    return blake2b(str(path).encode(), digest_size=3).hexdigest()
