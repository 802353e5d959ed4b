"""Trials trained side by side, each in a process of its own with one worker and one BLAS thread.

    outcomes = train(trials, parallel=2, report=report)      # name → "" or what went wrong

Two runs with a core each are done sooner than two that have both cores one after the other. Ctrl-C tells all of them
to save and stop, waits for them, and goes on as KeyboardInterrupt; a second one ends them at once (EndedAtOnce).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from mini_bert.experiments.trials import Trial
from mini_bert.reports import Report, silent

ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
ENDED = "ended"
MOMENT = 0.5
Message = tuple["Worker", dict[str, Any]]


class EndedAtOnce(KeyboardInterrupt):
    """Runs were not waited for until they had saved."""


class Worker:
    """A process at work on a trial; what it says goes into a queue, and at last that it has ended."""

    def __init__(self, trial: Trial, heard: SimpleQueue[Message]) -> None:
        self.trial, self.done, self.note, self.error = trial, 0.0, "reading text", ""
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115  closed when the process has ended
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mini_bert.experiments.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            env={**os.environ, **ONE_THREAD},
        )
        order = {"folder": str(trial.run.path), "config": trial.config.model_dump()}
        assert self.process.stdin is not None
        with suppress(OSError):  # it is dead already, and its complaints say why
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()
        self.reader = Thread(target=self.listen, args=(heard,), daemon=True)
        self.reader.start()

    def listen(self, heard: SimpleQueue[Message]) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with suppress(ValueError):  # a line that was cut when the process was ended
                heard.put((self, json.loads(line)))
        heard.put((self, {ENDED: self.process.wait()}))

    def hear(self, told: dict[str, Any]) -> None:
        self.done = told.get("done", self.done)
        self.note = told.get("note", self.note)
        self.error = told.get("error", self.error)
        if "step" in told:
            loss = told["loss"]
            self.note = f"step {told['step']:,}" + ("" if loss is None else f" loss {loss:.2f}")

    def finish(self, code: int) -> None:
        """Put away what is left of a process that has ended."""
        self.done = 1.0
        self.complaints.seek(0)
        complaints = self.complaints.read().decode(errors="replace").strip()
        if code and not self.error:
            self.error = (complaints or f"its process ended with {code}").splitlines()[-1]
        self.complaints.close()
        assert self.process.stdout is not None
        self.stop()
        self.process.stdout.close()

    def stop(self) -> None:
        """Ask it to save and end."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()


def train(trials: Sequence[Trial], parallel: int, report: Report = silent) -> dict[str, str]:
    """Train all that are not finished, so many at a time; returns what went wrong, by trial, "" if nothing did."""
    waiting, working, outcomes = list(trials), list[Worker](), dict[str, str]()
    heard: SimpleQueue[Message] = SimpleQueue()
    try:
        while waiting or working:
            while waiting and len(working) < parallel:
                working.append(Worker(waiting.pop(0), heard))
            attend(heard, working, outcomes)
            done = (len(outcomes) + sum(worker.done for worker in working)) / len(trials)
            report(done, ", ".join(f"{worker.trial.name} {worker.note}" for worker in working))
    except BaseException:
        try:
            save_and_end(heard, working, outcomes, report)
        except KeyboardInterrupt as again:
            raise EndedAtOnce from again
        finally:
            for worker in working:
                worker.process.kill()
        raise
    return outcomes


def save_and_end(
    heard: SimpleQueue[Message], working: list[Worker], outcomes: dict[str, str], report: Report
) -> None:
    for worker in working:
        worker.stop()
    names = ", ".join(worker.trial.name for worker in working)
    report(1.0, f"stopping, and saving {names}; Ctrl-C again ends at once")
    while working:
        attend(heard, working, outcomes)


def attend(heard: SimpleQueue[Message], working: list[Worker], outcomes: dict[str, str]) -> None:
    """Wait a moment for a message, and act on it. Without an end to the wait, Windows would not hear Ctrl-C."""
    try:
        worker, told = heard.get(timeout=MOMENT)
    except Empty:
        return
    worker.hear(told)
    if ENDED in told:
        worker.finish(told[ENDED])
        working.remove(worker)
        outcomes[worker.trial.name] = worker.error
