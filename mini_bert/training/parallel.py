"""A team of threads that share the work of a training step.

NumPy lets go of Python's lock while it computes, so that threads run side by side as long as each call has enough
to do. Every worker takes its own rows of the batch and multiplies on one BLAS thread: two workers with a matrix
each are faster than two threads that share one.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Any, Generic, Self, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

R = TypeVar("R")
Job = Callable[[int], R]

LARGEST_RAISE = (32 << 20) - (64 << 10)


class Outcome(Generic[R]):
    """What became of a job: a result, or the exception in its stead."""

    def __init__(self, job: Job[R], worker: int) -> None:
        self.error: BaseException | None = None
        try:
            self.found = job(worker)
        except BaseException as error:
            self.error = error

    def result(self) -> R:
        if self.error is not None:
            raise self.error
        return self.found


class Worker:
    """A thread that waits for jobs. It ends with the program, should nobody end it before."""

    def __init__(self, number: int, core: int | None = None) -> None:
        self.jobs: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[Outcome[Any]] = SimpleQueue()
        self.number, self.core = number, core
        self.thread = Thread(target=self.work, name=f"mini-bert worker {number}", daemon=True)
        self.thread.start()

    def work(self) -> None:
        if self.core is not None:
            with suppress(OSError):  # a system that forbids it runs us somewhat slower
                os.sched_setaffinity(0, {self.core})  # 0 is this thread
        while (job := self.jobs.get()) is not None:
            self.outcomes.put(Outcome(job, self.number))
            del job  # or it would live, and all it refers to, until the next one comes


class Team:
    """`team.each(job)` is [job(0), job(1), …], all at the same time, each in a thread of its own.

    with Team(2) as team:
        team.each(lambda worker: ...)

    A team as large as the machine keeps each worker to its own core: threads that hand Python's lock to one another
    look to the system as if they took turns, and it would put them all on one.
    """

    def __init__(self, size: int | None = None) -> None:
        cores = available_cores()
        self.size = len(cores) if size is None else size
        if self.size < 1:
            raise ValueError(f"a team of {self.size}: choose 1 worker or more")
        alone = self.size == len(cores) and hasattr(os, "sched_setaffinity")
        self.workers = [Worker(number, cores[number] if alone else None) for number in range(self.size)]
        self.blas = ThreadpoolController().select(user_api="blas")

    def each(self, job: Job[R]) -> list[R]:
        """What each worker's job returned. All have ended when this does, even if it ends with an exception.

        If several jobs fail, the exception is that of the first worker among them.
        """
        assert self.workers, "this team has been closed"
        with no_interrupt(), self.blas.limit(limits=1):
            for worker in self.workers:
                worker.jobs.put(job)
            outcomes: list[Outcome[R]] = [worker.outcomes.get() for worker in self.workers]
        return [outcome.result() for outcome in outcomes]

    def close(self) -> None:
        """Send the workers home; each ends the job it is at."""
        for worker in self.workers:
            worker.jobs.put(None)
        for worker in self.workers:
            worker.thread.join()
        self.workers = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@contextmanager
def no_interrupt() -> Iterator[None]:
    """Ctrl-C has to wait until the end of this: workers left alone would go on writing to the caller's arrays."""
    if current_thread() is not main_thread():  # interrupts are for the main thread
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: waiting.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if waiting and callable(handler):
            handler(*waiting[0])


def available_cores() -> list[int]:
    """The cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return sorted(allowed(0)) if allowed else list(range(os.cpu_count() or 1))


def keep_freed_memory() -> None:
    """Let the arrays of one step be made from the memory of the step before.

    A large array that is freed goes back to the system, and the next one costs a page fault for every 4 kB. Linux's
    allocator (glibc) takes the largest block it was ever given back, up to 32 MB, for a size that comes and goes: it
    keeps such blocks from then on. Elsewhere this does nothing.
    """
    np.empty(LARGEST_RAISE, np.uint8)
