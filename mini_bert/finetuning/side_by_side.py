"""Independent runs at the same time, each in a thread and on a core of its own.

Every run multiplies on one BLAS thread, however many there are at once, so that its figures do not depend on that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from mini_bert.reports import Report, silent
from mini_bert.training.parallel import available_cores

R = TypeVar("R")
Run = Callable[[Report], R]
"""A run tells a report how far it has come, and ends when that raises an exception."""

LOOK_AGAIN = 0.2
"""Seconds, after which the main thread looks for Ctrl-C."""


class Stopped(Exception):
    """Another run has failed, or the user has had enough."""


def side_by_side(runs: Sequence[Run[R]], report: Report = silent, at_once: int | None = None) -> list[R]:
    """What each run returned, in their order; at most `at_once` go at the same time, None: one for each core.

    If one fails the others are stopped, and its exception is raised when all have ended.
    """
    cores = available_cores()
    size = min(at_once or len(cores), len(runs))
    crew: Crew[R] = Crew(runs, report)
    with ThreadpoolController().select(user_api="blas").limit(limits=1):
        threads = [
            Thread(target=crew.work, args=(cores[i] if size <= len(cores) else None,), daemon=True)
            for i in range(size)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(LOOK_AGAIN)
        finally:
            crew.stop.set()
            for thread in threads:
                thread.join()
    if crew.failed is not None:
        raise crew.failed
    return [crew.found[number] for number in range(len(runs))]


class Crew(Generic[R]):
    """Threads that take one run after the other."""

    def __init__(self, runs: Sequence[Run[R]], report: Report) -> None:
        self.waiting: SimpleQueue[tuple[int, Run[R]]] = SimpleQueue()
        for pair in enumerate(runs):
            self.waiting.put(pair)
        self.report, self.lock, self.stop = report, Lock(), Event()
        self.done = [0.0] * len(runs)
        self.found: dict[int, R] = {}
        self.failed: BaseException | None = None

    def work(self, core: int | None) -> None:
        if core is not None and hasattr(os, "sched_setaffinity"):
            with suppress(OSError):  # a system that forbids it runs us somewhat slower
                os.sched_setaffinity(0, {core})  # 0 is this thread
        while not self.stop.is_set():
            try:
                number, run = self.waiting.get_nowait()
            except Empty:
                return
            try:
                self.found[number] = run(self.heard(number))
            except Stopped:
                return
            except BaseException as error:
                with self.lock:
                    self.failed = self.failed or error
                self.stop.set()

    def heard(self, number: int) -> Report:
        def report(done: float, note: str) -> None:
            if self.stop.is_set():
                raise Stopped
            with self.lock:
                self.done[number] = done
                self.report(sum(self.done) / len(self.done), note)

        return report
