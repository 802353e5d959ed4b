"""Ranks that MPI connects: mpiexec -n 4 mini-bert train ...

Every call is started without blocking and then asked after, the processor given up between two questions: ranks that
share a core let each other compute, and a signal is noticed while a rank waits.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.cluster.started import HEARD_SECONDS

PIECE = 1 << 20
"""Entries that are summed at a time: MPI needs as much room beside as one sum has."""
FAILED, INTERRUPTED = 2, 130
LEADERS_SECONDS = 1.0
"""What the leader has to remove a run that has not begun, when all are interrupted."""
LONGEST_LOOK = 1.0
"""Seconds: a job that was suspended has not waited for all the time it slept."""
give_way = getattr(os, "sched_yield", lambda: time.sleep(0))


class Going:
    """A request of MPI's. It gets on only while someone asks after it."""

    def __init__(self, request: Any, patience: float) -> None:
        self.request, self.patience = request, patience

    def is_done(self) -> bool:
        return bool(self.request.Test())

    def wait(self) -> None:
        waited, seen = 0.0, time.monotonic()
        while not self.is_done():
            now = time.monotonic()
            waited, seen = waited + min(now - seen, LONGEST_LOOK), now
            if waited > self.patience:
                raise NoAnswer(
                    f"other ranks have not answered for {self.patience / 60:g} minutes (cluster.patience): a process"
                    " that hangs, or a machine that is gone"
                )
            give_way()


class NoAnswer(Exception):
    """Others are waited for in vain."""


FOR_USERS = (ValueError, NoAnswer, KeyboardInterrupt, SystemExit)
"""What is said in a line: where it was raised does not matter."""


class MPIRanks(Ranks):
    """The processes of MPI's world. `MPI` is the module of that name in mpi4py."""

    def __init__(self, MPI: Any) -> None:
        self.MPI, self.world = MPI, MPI.COMM_WORLD
        self.number, self.size = self.world.rank, self.world.size
        self.can_sum_early = MPI.Query_thread() >= MPI.THREAD_SERIALIZED

    def end_with_script(self) -> None:
        """An exception that ends this rank's script ends the others': MPI would wait for them at its end."""
        tell = sys.excepthook

        def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            tell(kind, error, trace)
            if not self.leaving:
                self.abort(error)

        sys.excepthook = hook

    def wait(self, request: Any) -> None:
        Going(request, self.patience).wait()

    def sum(self, array: Array) -> None:
        for start in range(0, array.size, PIECE):
            self.start_sum(array[start : start + PIECE]).wait()

    def start_sum(self, array: Array) -> Going:
        return Going(self.world.Iallreduce(self.MPI.IN_PLACE, array), self.patience)

    def gather(self, content: bytes) -> list[bytes]:
        sizes = np.zeros(self.size, np.int64)
        self.wait(self.world.Iallgather(np.array([len(content)]), sizes))
        all_of_them = bytearray(int(sizes.sum()))
        self.wait(self.world.Iallgatherv(content, [all_of_them, (sizes, starts_of(sizes)), self.MPI.BYTE]))
        return [
            bytes(all_of_them[start : start + size])
            for start, size in zip(starts_of(sizes), sizes, strict=True)
        ]

    def spread(self, array: Array) -> None:
        self.wait(self.world.Ibcast(array))

    def complete(self, array: Array, stretches: Sequence[slice]) -> None:
        sizes, starts = (
            [at.stop - at.start for at in stretches],
            [at.start for at in stretches],
        )
        self.wait(self.world.Iallgatherv(self.MPI.IN_PLACE, [array, (sizes, starts)]))

    def collect(self, stretch: Array, sizes: Sequence[int]) -> Array | None:
        found = np.empty(sum(sizes), stretch.dtype) if self.leads else None
        received = [found, (sizes, starts_of(sizes))] if self.leads else None
        self.wait(self.world.Igatherv(stretch, received))
        return found

    def end_all(self, error: BaseException) -> None:
        if type(error) not in FOR_USERS or os.environ.get("MINI_BERT_DEBUG") == "1":
            traceback.print_exception(error)
        self.abort(error)

    def abort(self, error: BaseException) -> None:
        said, code = str(error) or type(error).__name__, FAILED
        if isinstance(error, KeyboardInterrupt):
            said, code = "interrupted", INTERRUPTED
        elif isinstance(error, SystemExit):
            said, code = f"exit {error.code}", error.code if isinstance(error.code, int) else FAILED
        try:
            told = f"error: rank {self.number} of {self.size}: {said}; all ranks end with it"
            print(told, file=sys.stderr, flush=True)
            time.sleep(LEADERS_SECONDS if code == INTERRUPTED and not self.leads else HEARD_SECONDS)
        finally:
            self.world.Abort(code)
            os._exit(code)


def starts_of(sizes: Sequence[int] | Array) -> list[int]:
    """Where each begins when they lie one behind the other."""
    return [int(start) for start in np.cumsum([0, *sizes])[:-1]]
