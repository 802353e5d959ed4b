"""Many probes to train: one for each layer and seed, a core for each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from mini_bert.reports import Report
from mini_bert.training.parallel import Team

R = TypeVar("R")
JOBS_AT_ONCE = 4
"""For each worker; Ctrl-C waits for so many."""


def side_by_side(team: Team, jobs: Sequence[Callable[[], R]], report: Report, note: str) -> list[R]:
    """What each job returns, in their order; a worker who is done takes the next, each on one BLAS thread."""
    lock, done = Lock(), 0
    found: dict[int, R] = {}

    def work_off(waiting: deque[int]) -> None:
        nonlocal done
        while True:
            with lock:
                if not waiting:
                    return
                number = waiting.popleft()
            result = jobs[number]()
            with lock:
                found[number] = result
                done += 1
                report(done / len(jobs), f"{note}: {done} of {len(jobs)}")

    size = JOBS_AT_ONCE * team.size
    for start in range(0, len(jobs), size):
        waiting = deque(range(start, min(start + size, len(jobs))))
        team.each(lambda worker, waiting=waiting: work_off(waiting))  # type: ignore[misc]
    return [found[number] for number in range(len(jobs))]
