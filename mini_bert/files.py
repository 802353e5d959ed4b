"""Files that are there whole or not at all, and the folder for what can be made again.

write_atomically(path, content)
with only_one(cache_folder() / "world.lock"): ...    # one process at a time
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

APP = "mini-bert"
POLL_SECONDS = 0.1


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the file, then rename: whoever reads sees the old file or the new one, never half of one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        if error.errno is not None:
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        beside.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder to save in, if it is not there; say how to go on if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{folder}: is a file, not a folder; choose another place") from None
    except OSError as error:
        raise ValueError(
            f"{folder}: cannot be made ({(error.strerror or str(error)).lower()}); choose another place"
        ) from None
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{folder}: may not be written; choose another place")


def cache_folder() -> Path:
    """Where things are kept that can be made again: $MINI_BERT_CACHE, else the customary place of the platform.

    That is $XDG_CACHE_HOME or ~/.cache on Linux, ~/Library/Caches on macOS, %LOCALAPPDATA% on Windows, and in it
    the folder mini-bert. It may not exist yet.
    """
    if chosen := os.environ.get("MINI_BERT_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        customary = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        customary = "~/Library/Caches"
    else:
        customary = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(customary).expanduser() / APP


@contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Says how to go on when a folder of the cache is full or read-only."""
    try:
        yield
    except OSError as error:
        raise ValueError(
            f"{folder}: cannot be written ({error.strerror or error}); make room, "
            "or choose another folder with MINI_BERT_CACHE"
        ) from error


@contextmanager
def only_one(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """One process at a time in here; the others wait, and call `waiting` once.

    The system holds the lock, not the file: when a process dies, its lock is gone.
    """
    with lock_file(path) as file:
        if not try_lock(file):
            waiting()
            while not try_lock(file):
                time.sleep(POLL_SECONDS)
        yield


@contextmanager
def if_nobody_is_in(path: Path) -> Iterator[bool]:
    """Like `only_one`, but does not wait: False if another process is inside."""
    with lock_file(path) as file:
        yield try_lock(file)


def lock_file(path: Path) -> BinaryIO:
    with writing_in(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")


def try_lock(file: BinaryIO) -> bool:
    """Whether this open file got the lock; to close it gives the lock back."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        raise ValueError(
            f"{file.name}: cannot be locked ({error.strerror}); choose a folder on a local disk with MINI_BERT_CACHE"
        ) from error
    return True
