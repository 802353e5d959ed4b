"""The process in which a learner's code runs: `python -m mini_bert.course.judge EXERCISE FILE`.

The verdict goes to a file, which the learner's prints cannot disturb. A watchman stops what never ends and can say in
which line it hung; where the system has limits of time and memory, they are set.
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
from typing import NoReturn

from mini_bert.course.endings import without_verdict
from mini_bert.course.exercise import Exercise, exercise_named
from mini_bert.course.guard import Guard
from mini_bert.course.limits import GIGABYTES, PATIENCE, SECONDS
from mini_bert.course.trial import Trial, check_of
from mini_bert.course.verdict import Verdict


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mini_bert.course.judge")
    parser.add_argument("exercise")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--verdicts", type=Path, required=True, help="a folder: of the first file, 0.json")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of computing, at most, for each")
    asked = parser.parse_args()
    exercise = exercise_named(asked.exercise)
    if len(asked.files) == 1:
        judge(exercise, asked.files[0], asked.verdicts / "0.json", asked.seconds)
    check_of(exercise)  # what it imports is imported once
    for i, file in enumerate(asked.files):
        judge_in_a_child(exercise, file, asked.verdicts / f"{i}.json", asked.seconds)


def judge_in_a_child(exercise: Exercise, file: Path, told: Path, seconds: float) -> None:
    child = os.fork()
    if not child:
        judge(exercise, file, told, seconds)
    _, status = os.waitpid(child, 0)
    if not told.exists():
        verdict = without_verdict(os.waitstatus_to_exitcode(status), seconds)
        told.write_text(verdict.to_json(), "utf-8")


def judge(exercise: Exercise, file: Path, told: Path, seconds: float) -> NoReturn:
    """Nothing is tidied up behind the learner's code: it may have left threads, or handlers that never end."""
    set_limits(seconds)
    trial = Trial(exercise, file.read_text("utf-8-sig", errors="replace"), str(file))
    guard, once = Guard(), threading.Lock()

    def tell(verdict: Verdict) -> None:
        if once.acquire(blocking=False):
            guard.stop()
            told.write_text(verdict.to_json(), "utf-8")
            os._exit(0)

    watchman = threading.Thread(target=watch, args=(trial, seconds, tell), daemon=True)
    watchman.start()
    check_of(exercise)  # its imports may store bytecode; the learner's need not
    guard.start()
    tell(trial.verdict())
    watchman.join()  # it was first, and ends the process
    raise AssertionError("the watchman has told a verdict, but not ended the process")


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
