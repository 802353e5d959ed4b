"""Stamps: sizes and dates of files, by which one sees that they are the same without reading them.

    remembered(folder / "seen", ["lines"], stamps(paths), lambda: long_work(paths))

A file that changes keeps neither its size nor its date; only one that was changed so lately that a clock may not tell
is not trusted. What is remembered can be made again: where nothing can be written, nothing is remembered.
"""

import json
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from mini_bert.files import write_atomically

Stamp = tuple[str, int, int]
"""Where a file lies, its size in bytes, and when it was changed, in nanoseconds."""

TOO_LATELY = 2_000_000_000
"""Nanoseconds: file systems count time in steps of up to 2 s."""


def stamps(paths: Iterable[Path]) -> list[Stamp]:
    found = ((path, path.stat()) for path in paths)
    return [(str(path.resolve()), stat.st_size, stat.st_mtime_ns) for path, stat in found]


def settled(files: Iterable[Stamp]) -> bool:
    """Whether another change of these files would change their dates."""
    now = time.time_ns()
    return all(changed + TOO_LATELY < now for _, _, changed in files)


def remembered(folder: Path, about: list[object], files: list[Stamp], find: Callable[[], str]) -> str:
    """What was found about files the last time that they had these stamps, else what is found now.

    `about` is all else that decides what is found.
    """
    key = json.dumps([about, files])
    note = folder / blake2b(key.encode(), digest_size=16).hexdigest()
    with suppress(OSError):
        if settled(files) and (content := note.read_text(encoding="utf-8")):
            return content
    found = find()
    if settled(files):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(note, found.encode())
    return found
