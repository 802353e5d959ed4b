"""Contestants in processes of their own who take turns: no one's idle threads or memory are in another's way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Self

from mini_bert.reports import Report

SETTLING_SECONDS = 0.02
"""Threads that just had work spin for a moment before they sleep; the next contestant waits for that."""


class Contestant:
    """A Python module run as a process that answers questions, one line each (see `serve`)."""

    def __init__(
        self, module: str, *arguments: object, folder: Path | None = None, launcher: Sequence[str] = ()
    ) -> None:
        self.module = module
        self.process = subprocess.Popen(
            [*launcher, sys.executable, "-m", module, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )

    def ask(self, question: str) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(question, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise ValueError(f"{self.module} ended before its turn; what it said is above")
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            self.process.kill()
        self.process.wait()


def serve(answers: Mapping[str, Callable[[], object]]) -> None:
    """Answer each line of standard input with a line of JSON, until there are no more."""
    for line in sys.stdin:
        print(json.dumps(answers[line.strip()]()), flush=True)


def seconds_of(work: Callable[[], object]) -> Callable[[], float]:
    """The same work, timed."""

    def timed() -> float:
        start = perf_counter()
        work()
        return perf_counter() - start

    return timed


def take_turns(contestants: Mapping[str, Contestant], rounds: int, report: Report) -> dict[str, list[float]]:
    """Seconds of each contestant's step in each round; the order turns around from round to round."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(rounds):
        for name in list(contestants)[:: -1 if number % 2 else 1]:
            report(number / rounds, name)
            sleep(SETTLING_SECONDS)
            seconds[name].append(contestants[name].ask("step"))
    return seconds
