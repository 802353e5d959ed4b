"""Which runs there are below some folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from mini_bert.training.run_folder import CONFIG, METRICS, RunFolder

A_RUNS_SETTING = "\nbudget:"
"""Other things keep a config.yaml too, but no budget in it."""


def runs_below(folders: Sequence[Path]) -> dict[str, RunFolder]:
    """Every run by its name: its path below the folder it was found in, or the whole path where two would be alike."""
    found = [(folder, run) for folder in folders for run in search(folder)]
    unique = list(dict.fromkeys(run.resolve() for _, run in found))
    first_seen = {path: next(pair for pair in found if pair[1].resolve() == path) for path in unique}
    names = {path: name_of(*pair) for path, pair in first_seen.items()}
    clashing = {name for name in names.values() if list(names.values()).count(name) > 1}
    return {
        str(run) if names[path] in clashing else names[path]: RunFolder(run)
        for path, (_, run) in first_seen.items()
    }


def name_of(folder: Path, run: Path) -> str:
    return run.resolve().name if run == folder else run.relative_to(folder).as_posix()


def search(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise ValueError(
            f"{folder}: no such folder; begin a run with `mini-bert train`, or name the folder your runs are in"
        )
    found = sorted(walk(folder))
    if not found:
        raise ValueError(
            f"{folder}: no run here or below; name the --out of a run, or begin one with `mini-bert train`"
        )
    return found


def walk(folder: Path) -> Iterator[Path]:
    for place, inner, _ in os.walk(folder):
        path = Path(place)
        if is_run(path):
            inner.clear()
            yield path
        else:
            inner[:] = [name for name in inner if not name.startswith(".")]


def is_run(path: Path) -> bool:
    config = path / CONFIG
    if not config.is_file():
        return False
    return (path / METRICS).is_file() or A_RUNS_SETTING in config.read_text("utf-8", errors="replace")
