"""Checkpoints: all that a run needs to go on, in folders that are there whole or not at all.

    checkpoints = Checkpoints(run / "checkpoints", keep=3)
    checkpoints.save(200, {"model.safetensors": bytes, "state.json": bytes, ...})
    found = checkpoints.newest()        # the newest sound one; `checkpoints.damaged` names those passed over

    checkpoints/last/                   the newest
    checkpoints/step-00000180/ ...      those before it, as many as are kept
    checkpoints/best/                   the one with the lowest loss on held-out text

A folder is written beside, with a checksum of each file, and then renamed. Whenever a run is killed, a sound
checkpoint is left: before the new folder becomes `last`, the old one gets its number as its name. A new `best` is in
its place before the same checkpoint becomes `last`, and shares its files where the disk allows it; the old one is
removed when the new one stands.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from mini_bert.files import write_atomically

LAST, BEST, SUMS = "last", "best", "checksums.json"
OLD_BEST = ".old-best"
NUMBERED = re.compile(r"step-\d{8,}")
UNFINISHED = ".unfinished-"
UNKNOWN_STEP = 10**12


@dataclass(frozen=True)
class Checkpoint:
    """A sound folder and the step it was saved at."""

    folder: Path
    step: int

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


class Checkpoints:
    """The checkpoints of a run: the last `keep` and the best."""

    def __init__(self, folder: Path, keep: int = 3) -> None:
        self.folder, self.keep = folder, keep
        self.damaged: dict[Path, str] = {}
        """Folders that `newest` passed over, and what is wrong with them; the next `save` removes them."""

    def save(self, step: int, files: Mapping[str, bytes], *, is_best: bool = False) -> None:
        """Add a checkpoint; what it replaces is removed when it is in place."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tidy()
        new = self.written(step, files)
        for folder in self.damaged:
            shutil.rmtree(folder, ignore_errors=True)
        self.damaged = {}
        if is_best:
            self.set_best(new)
        last = self.folder / LAST
        if last.exists():
            self.number(last)
        os.replace(new, last)
        synchronize(self.folder)
        self.remove_old()

    def set_best(self, new: Path) -> None:
        """Put a twin of a new checkpoint into the place of the best."""
        twin, best = self.folder / f"{UNFINISHED}best", self.folder / BEST
        twin.mkdir()
        for path in new.iterdir():
            link_or_copy(path, twin / path.name)
        synchronize(twin)
        if best.exists():
            os.replace(best, self.folder / OLD_BEST)
        os.replace(twin, best)
        synchronize(self.folder)
        shutil.rmtree(self.folder / OLD_BEST, ignore_errors=True)

    def best(self) -> Checkpoint | None:
        """The one with the lowest loss on held-out text, if it is sound."""
        self.tidy()
        folder = self.folder / BEST
        return None if self.fault_of(folder) else Checkpoint(folder, step_of(folder))

    def newest(self) -> Checkpoint | None:
        """The sound checkpoint with the highest step. `damaged` tells of newer ones, and what is wrong with them."""
        self.damaged = {}
        for step, folder in sorted(self.candidates(), reverse=True):
            if fault := self.fault_of(folder):
                self.damaged[folder] = fault
            else:
                return Checkpoint(folder, step)
        return None

    def candidates(self) -> list[tuple[int, Path]]:
        """Every checkpoint by its step; one whose step cannot be read comes first, to be reported."""
        if not self.folder.is_dir():
            return []
        folders = [path for path in self.folder.iterdir() if path.name in (LAST, BEST) or is_numbered(path)]
        return [(step_of(path), path) for path in folders]

    def fault_of(self, folder: Path) -> str | None:
        """What is wrong with a checkpoint, None if every file is as it was written."""
        try:
            sums = json.loads((folder / SUMS).read_text("utf-8"))["files"]
            for name, expected in sums.items():
                if checksum((folder / name).read_bytes()) != expected:
                    return f"{name} is damaged"
        except OSError as error:
            return f"{Path(error.filename).name} is missing or cannot be read"
        except (ValueError, KeyError, TypeError, AttributeError):
            return f"{SUMS} is damaged"
        return None

    def written(self, step: int, files: Mapping[str, bytes]) -> Path:
        folder = self.folder / f"{UNFINISHED}{step}-{os.getpid()}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            for name, content in files.items():
                write_atomically(folder / name, content)
            sums = {"step": step, "files": {name: checksum(content) for name, content in files.items()}}
            write_atomically(folder / SUMS, json.dumps(sums, indent=1).encode())
            synchronize(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return folder

    def number(self, last: Path) -> None:
        """Give what is `last` now its number as its name, in place of an earlier one; what has none is broken."""
        if step_of(last) == UNKNOWN_STEP:
            shutil.rmtree(last)
            return
        name = self.folder / f"step-{step_of(last):08d}"
        shutil.rmtree(name, ignore_errors=True)
        os.replace(last, name)

    def remove_old(self) -> None:
        numbered = sorted((path for path in self.folder.iterdir() if is_numbered(path)), key=step_of)
        for path in numbered[: max(0, len(numbered) - (self.keep - 1))]:
            doomed = self.folder / f"{UNFINISHED}{path.name}"
            os.replace(path, doomed)
            shutil.rmtree(doomed, ignore_errors=True)

    def tidy(self) -> None:
        """Remove what a killed run left unfinished, and put the old best back if there is no new one."""
        for path in self.folder.glob(f"{UNFINISHED}*"):
            shutil.rmtree(path, ignore_errors=True)
        old, best = self.folder / OLD_BEST, self.folder / BEST
        if old.exists() and not best.exists():
            os.replace(old, best)
        shutil.rmtree(old, ignore_errors=True)


def is_numbered(path: Path) -> bool:
    return NUMBERED.fullmatch(path.name) is not None


def step_of(folder: Path) -> int:
    """The step of a checkpoint: from its name, or from its checksums; beyond all others if they cannot be read."""
    if is_numbered(folder):
        return int(folder.name.removeprefix("step-"))
    try:
        return int(json.loads((folder / SUMS).read_text("utf-8"))["step"])
    except (OSError, ValueError, KeyError, TypeError):
        return UNKNOWN_STEP


def link_or_copy(path: Path, target: Path) -> None:
    """The same file under another name; a copy where the disk knows no links."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def checksum(content: bytes | memoryview) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def synchronize(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system allows it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
