"""How far a learner is, exercise by exercise: progress.json."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mini_bert.files import only_one, write_atomically

FILE = "progress.json"
VERSION = 1


@dataclass(frozen=True)
class Record:
    """One exercise. Times are UTC; `checked` is the digest of the source that was checked last."""

    begun: str | None = None
    passed: str | None = None
    passes: bool = False
    attempts: int = 0
    hints: int = 0
    saw_solution: bool = False
    checked: str | None = None

    @property
    def minutes(self) -> float | None:
        """From the first look to the first pass."""
        if self.begun is None or self.passed is None:
            return None
        return round(
            (datetime.fromisoformat(self.passed) - datetime.fromisoformat(self.begun)).total_seconds() / 60, 1
        )

    def started(self) -> Record:
        return self if self.begun else replace(self, begun=now())

    def after_check(self, source: str, passes: bool) -> Record:
        """The same source checked twice is one attempt."""
        known = self.started()
        return replace(
            known,
            passes=passes,
            passed=known.passed or (now() if passes else None),
            attempts=known.attempts + (source != known.checked),
            checked=source,
        )


@dataclass
class Progress:
    records: dict[str, Record] = field(default_factory=dict)

    def of(self, name: str) -> Record:
        return self.records.get(name, Record())

    @classmethod
    def read(cls, folder: Path) -> Progress:
        path = folder / FILE
        try:
            found = json.loads(path.read_text("utf-8"))
            if found["course"] != VERSION:
                raise ValueError(f"{path}: is of a newer version of the course; update mini-bert")
            return cls({name: Record(**record) for name, record in found["exercises"].items()})
        except FileNotFoundError:
            raise ValueError(f"{folder}: is no course; make one with: mini-bert course init DIR") from None
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError, UnicodeDecodeError):
            raise ValueError(
                f"{path}: cannot be read; delete it and run mini-bert course init {folder}, which keeps your "
                "exercises, then mini-bert course check --all"
            ) from None

    def write(self, folder: Path) -> None:
        content: dict[str, Any] = {
            "course": VERSION,
            "exercises": {name: asdict(record) for name, record in sorted(self.records.items())},
        }
        write_atomically(folder / FILE, (json.dumps(content, indent=2) + "\n").encode())


def is_ours(folder: Path) -> bool:
    """Whether the progress.json in a folder is that of a course, of whichever version."""
    try:
        found = json.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError):  # not JSON, or not even text
        return False
    return isinstance(found, dict) and "course" in found


@contextmanager
def changed_progress(folder: Path) -> Iterator[Progress]:
    """Read, change, write: by one process at a time, so that `watch` and `check` do not undo each other."""
    must_be_writable(folder)
    with only_one(folder / ".progress.lock"):
        progress = Progress.read(folder)
        yield progress
        progress.write(folder)


def must_be_writable(folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise ValueError(
            f"{folder}: may not be written; copy the course to a folder that is yours, and go on there"
        )


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
