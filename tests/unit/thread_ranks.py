"""Ranks that are threads of one process: what MPI does, without MPI."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any

import numpy as np

from mini_bert.training.cluster.ranks import Ranks

PATIENCE = 60


class Meeting:
    """Where the ranks put down what they have, and take what all have."""

    def __init__(self, size: int) -> None:
        self.barrier, self.table = Barrier(size), [None] * size

    def exchange(self, number: int, thing: Any) -> list[Any]:
        self.table[number] = thing
        self.barrier.wait(PATIENCE)
        found = list(self.table)
        self.barrier.wait(PATIENCE)
        return found


class InFlight:
    """A sum whose array is unusable until it is done, as MPI says."""

    def __init__(self, ranks: Ranks, array: np.ndarray) -> None:
        self.ranks, self.array, self.kept = ranks, array, array.copy()
        array[...] = np.nan

    def is_done(self) -> bool:
        return False

    def wait(self) -> None:
        assert np.isnan(self.array).all(), "an array was touched while its sum was under way"
        self.ranks.sum(self.kept)
        self.array[...] = self.kept


class ThreadRanks(Ranks):
    def __init__(self, meeting: Meeting, number: int, size: int) -> None:
        self.meeting, self.number, self.size = meeting, number, size

    def sum(self, array: np.ndarray) -> None:
        total = np.zeros_like(array)
        for part in self.meeting.exchange(self.number, array.copy()):
            total += part
        array[...] = total

    def start_sum(self, array: np.ndarray) -> InFlight:
        return InFlight(self, array)

    def gather(self, content: bytes) -> list[bytes]:
        return self.meeting.exchange(self.number, content)

    def spread(self, array: np.ndarray) -> None:
        array[...] = self.meeting.exchange(self.number, array.copy())[0]

    def complete(self, array: np.ndarray, stretches: Sequence[slice]) -> None:
        parts = self.meeting.exchange(self.number, array[stretches[self.number]].copy())
        for at, part in zip(stretches, parts, strict=True):
            array[at] = part

    def collect(self, stretch: np.ndarray, sizes: Sequence[int]) -> np.ndarray | None:
        parts = self.meeting.exchange(self.number, stretch.copy())
        assert [len(part) for part in parts] == list(sizes)
        return np.concatenate(parts) if self.leads else None

    def end_all(self, error: BaseException) -> None:
        self.meeting.barrier.abort()


def on_ranks(size: int, job: Callable[[Ranks], Any]) -> list[Any]:
    """job(rank) on each, at the same time; the exception of a rank, if it raised one, in the place of its result."""
    meeting, found = Meeting(size), [None] * size

    def work(number: int) -> None:
        ranks = ThreadRanks(meeting, number, size)
        try:
            with ranks.together():
                found[number] = job(ranks)
        except (Exception, BrokenBarrierError) as error:
            found[number] = error

    threads = [Thread(target=work, args=(number,)) for number in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
