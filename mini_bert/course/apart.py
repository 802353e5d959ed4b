"""A check in a process of its own: whatever the learner's code does, it does not do it here."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import mini_bert
from mini_bert.course.endings import too_slow, without_verdict
from mini_bert.course.exercise import Exercise
from mini_bert.course.limits import PATIENCE
from mini_bert.course.page import page_of
from mini_bert.course.verdict import Verdict

GRACE = 30.0
"""The process stops itself; if it cannot, because it hangs inside one operation, it is ended after this longer."""


def judged_apart(exercise: Exercise, file: Path, seconds: float | None = None) -> Verdict:
    """Within so many seconds of computing, or as many as the exercise's page allows."""
    return judged_each_apart(exercise, [file], seconds)[0]


def judged_each_apart(
    exercise: Exercise, files: Sequence[Path], seconds: float | None = None
) -> list[Verdict]:
    """Many answers to one exercise, each in its own process, but with a common start where the system can fork."""
    if len(files) > 1 and not hasattr(os, "fork"):
        return [judged_apart(exercise, file, seconds) for file in files]
    seconds = page_of(exercise).about.seconds if seconds is None else seconds
    with tempfile.TemporaryDirectory(prefix="mini-bert-course-") as place:
        command = [sys.executable, "-P", "-X", "utf8", "-m", "mini_bert.course.judge", exercise.name]
        command += [*(str(file.resolve()) for file in files), "--verdicts", place, "--seconds", str(seconds)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(),
                timeout=len(files) * (PATIENCE * seconds + GRACE),
            )
        except subprocess.TimeoutExpired:
            silent = too_slow(seconds)
        else:
            complaint = done.stderr.decode("utf-8", errors="replace")
            silent = without_verdict(done.returncode, seconds, complaint)
        told = [Path(place) / f"{i}.json" for i in range(len(files))]
        return [Verdict.from_json(one.read_text("utf-8")) if one.exists() else silent for one in told]


def environment() -> dict[str, str]:
    """One BLAS thread, and this very package, wherever it was imported from."""
    root = str(Path(mini_bert.__file__).parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return os.environ | threads | {"PYTHONPATH": os.pathsep.join(paths)}
