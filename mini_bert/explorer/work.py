"""Work that takes long is done beside the server by a few threads, and given up when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from queue import SimpleQueue
from threading import Event, Thread, local
from typing import Any

here = local()


class Gone(Exception):
    """Nobody waits for this work any more."""


class Busy(Exception):
    """Too much is waiting already."""


def go_on() -> None:
    """Raise Gone if the work that this thread is doing is no longer wanted."""
    job: Job | None = getattr(here, "job", None)
    if job is not None and job.unwanted.is_set():
        raise Gone


class Job:
    """A computation, its outcome in the event loop, and how many wait for it there."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        self.compute = compute
        self.loop = asyncio.get_running_loop()
        self.outcome: asyncio.Future[Any] = self.loop.create_future()
        self.waiting = 0
        self.unwanted = Event()

    def run(self) -> None:
        """In a thread."""
        if self.unwanted.is_set():
            return
        here.job = self
        result, error = None, None
        try:
            result = self.compute()
        except BaseException as raised:
            error = raised
        finally:
            here.job = None
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.finish, result, error)

    def finish(self, result: Any, error: BaseException | None) -> None:
        """In the event loop; nobody hears of it if all have gone."""
        if self.outcome.done():
            return
        if error is None:
            self.outcome.set_result(result)
        else:
            self.outcome.set_exception(error)

    def give_up(self) -> None:
        self.unwanted.set()
        self.outcome.cancel()


class Work:
    """Threads that compute, and what waits for them. It belongs to one event loop."""

    def __init__(self, threads: int, most: int) -> None:
        self.most = most
        self.queue: SimpleQueue[Job | None] = SimpleQueue()
        self.jobs: dict[Hashable, Job] = {}
        # Daemons, so that a long product of matrices does not keep the program from ending.
        self.threads = [
            Thread(target=self.serve, name=f"explorer-{number}", daemon=True) for number in range(threads)
        ]
        for thread in self.threads:
            thread.start()

    def serve(self) -> None:
        while (job := self.queue.get()) is not None:
            job.run()

    async def do(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """What `compute()` returns. Whoever asks for the same key meanwhile waits for the same computation.

        It is given up when all who waited were cancelled.
        """
        job = self.jobs.get(key)
        if job is None:
            if len(self.jobs) >= self.most:
                raise Busy
            job = self.jobs[key] = Job(compute)
            self.queue.put(job)
        job.waiting += 1
        try:
            await asyncio.wait([job.outcome])
            return job.outcome.result()
        finally:
            job.waiting -= 1
            if job.waiting == 0 and self.jobs.get(key) is job:
                del self.jobs[key]
                job.give_up()

    def end(self) -> None:
        """Give up everything; the threads end when they notice."""
        for job in self.jobs.values():
            job.give_up()
        for _ in self.threads:
            self.queue.put(None)
