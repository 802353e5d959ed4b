"""A check in a process of its own: whatever the learner's code does, it does not do it here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import mini_bert
from mini_bert.course.exercise import Exercise
from mini_bert.course.limits import PATIENCE
from mini_bert.course.page import page_of
from mini_bert.course.verdict import Verdict

GRACE = 30.0
"""The process stops itself; if it cannot, because it hangs inside one operation, it is ended after this longer."""


def judged_apart(exercise: Exercise, file: Path, seconds: float | None = None) -> Verdict:
    """Within so many seconds of computing, or as many as the exercise's page allows."""
    seconds = page_of(exercise).about.seconds if seconds is None else seconds
    with tempfile.TemporaryDirectory(prefix="mini-bert-course-") as place:
        told = Path(place) / "verdict.json"
        command = [sys.executable, "-P", "-X", "utf8", "-m", "mini_bert.course.judge", exercise.name]
        command += [str(file.resolve()), "--verdict", str(told), "--seconds", str(seconds)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(),
                timeout=PATIENCE * seconds + GRACE,
            )
        except subprocess.TimeoutExpired:
            return too_slow(seconds)
        if told.exists():
            return Verdict.from_json(told.read_text("utf-8"))
    if done.returncode == -getattr(signal, "SIGXCPU", 0) < 0:
        return too_slow(seconds)
    return without_verdict(done.returncode, done.stderr.decode("utf-8", errors="replace"))


def too_slow(seconds: float) -> Verdict:
    return Verdict("slow", f"your code was still computing after {seconds:g} seconds, and was stopped.")


def without_verdict(code: int, complaint: str) -> Verdict:
    """The process is gone, and has said nothing."""
    if code < 0:
        return Verdict(
            "ended", f"the system ended your code (signal {-code}); it may have taken too much memory."
        )
    if complaint.strip():
        return Verdict("checker", f"the check could not be run: {complaint.strip().splitlines()[-1]}")
    return Verdict(
        "ended",
        f"your code ended the program (exit code {code}) before the check was over: leave os._exit() out.",
    )


def environment() -> dict[str, str]:
    """One BLAS thread, and this very package, wherever it was imported from."""
    root = str(Path(mini_bert.__file__).parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": os.pathsep.join(paths)}
