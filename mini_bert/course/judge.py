"""The process in which a learner's code runs: `python -m mini_bert.course.judge EXERCISE FILE`.

The verdict goes to the file named by --verdict, which the learner's prints cannot disturb, or is printed. A watchman
stops what never ends and can say in which line it hung; where the system has limits of time and memory, they are set.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path

from mini_bert.course.exercise import exercise_named
from mini_bert.course.limits import GIGABYTES, PATIENCE, SECONDS
from mini_bert.course.trial import Trial
from mini_bert.course.verdict import Verdict


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mini_bert.course.judge")
    parser.add_argument("exercise")
    parser.add_argument("file", type=Path)
    parser.add_argument("--verdict", type=Path, help="write the verdict into this file")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of computing, at most")
    asked = parser.parse_args()
    exercise = exercise_named(asked.exercise)
    set_limits(asked.seconds)
    source = asked.file.read_text("utf-8", errors="replace")
    trial = Trial(exercise, source, str(asked.file))
    out = sys.stdout
    once = threading.Lock()

    def tell(verdict: Verdict) -> None:
        """Nothing is tidied up behind the learner's code: it may have left threads, or handlers that never end."""
        if not once.acquire(blocking=False):
            return
        if asked.verdict:
            asked.verdict.write_text(verdict.to_json(), "utf-8")
        else:
            print(verdict.to_json(), file=out, flush=True)
        os._exit(0)

    watchman = threading.Thread(target=watch, args=(trial, asked.seconds, tell), daemon=True)
    watchman.start()
    tell(trial.verdict())


def watch(trial: Trial, seconds: float, tell: Callable[[Verdict], None]) -> None:
    main_thread = threading.main_thread().ident
    begun = time.monotonic()
    while time.process_time() < seconds and time.monotonic() - begun < PATIENCE * seconds:
        time.sleep(0.05)
    assert main_thread is not None
    tell(trial.too_slow(sys._current_frames().get(main_thread), seconds))


def set_limits(seconds: float) -> None:
    """Where the system has limits. That of time is for what the watchman cannot stop: one operation that never ends."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    limits = {resource.RLIMIT_AS: GIGABYTES * 2**30, resource.RLIMIT_CPU: ceil(seconds) + 1}
    for what, most in limits.items():
        _, hard = resource.getrlimit(what)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        with suppress(ValueError, OSError):  # macOS may refuse; then `apart` ends what does not end
            resource.setrlimit(what, (most, hard))


if __name__ == "__main__":
    main()
