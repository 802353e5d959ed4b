"""What a learner's code has no need to do while it is checked: change files, use the network, start programs, peek.

It spares honest people accidents, and tells them what they did. It is no prison: Python has none.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from mini_bert.course.exercise import HOME

OURS = os.path.realpath(HOME) + os.sep
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGING = {
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.link", "os.symlink",
    "shutil.rmtree",
}  # fmt: skip
NETWORK = {
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind", "socket.sendto", "socket.sendmsg",
}  # fmt: skip
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.forkpty"}


class Refused(PermissionError):
    """What was refused, and why. An OSError, so that imports that cannot store their bytecode go on."""


class Guard:
    """Refuses from `start` to `stop`. Once installed, it stays in the process: Python forgets no audit hook."""

    def __init__(self) -> None:
        self.watching = False
        sys.addaudithook(self.audit)

    def start(self) -> None:
        self.watching = True

    def stop(self) -> None:
        self.watching = False

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event == "open":
            audit_open(*arguments)
        elif event in CHANGING:
            raise Refused(f"your code changes files ({event}); no exercise needs that, so it was stopped.")
        elif event in NETWORK:
            raise Refused("your code uses the network; no exercise needs that, so it was stopped.")
        elif event in PROGRAMS:
            raise Refused("your code starts another program; no exercise needs that, so it was stopped.")


def audit_open(path: Any, mode: str | None, flags: int) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        return
    place = os.path.realpath(os.fsdecode(path))
    name = os.path.basename(place)
    if flags & WRITING and place != os.path.realpath(os.devnull):
        raise Refused(f"your code writes to {name}; no exercise needs that, so it was stopped.")
    if name.startswith(("solution.", "mutants.")) and place.startswith(OURS):
        raise Refused(
            "your code reads our solution; write your own, or look at ours with: mini-bert course solution --show"
        )
