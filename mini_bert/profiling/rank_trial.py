"""Sums and real steps of several ranks, timed: mpiexec -n 2 python -m mini_bert.profiling.rank_trial mini 64 8 8 1

Started as a process that answers `sums`, `forecast`, `step` and `overlapped`, a line each, on the standard input of the
leader (see cli/turns.py).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np

from mini_bert.models.config import ModelConfig
from mini_bert.profiling.forecast import Forecast, Plan, inspect_machine, plan
from mini_bert.profiling.rates import usual
from mini_bert.profiling.trial import Trial
from mini_bert.training.cluster.launch import launched_ranks
from mini_bert.training.cluster.mpi import MPIRanks
from mini_bert.training.cluster.ranks import Ranks
from mini_bert.training.parallel import Team

SIZES = tuple(4**power for power in range(2, 12))
"""Bytes: 16 to 4 MiB. The largest are out of the caches near a core."""
REPEATS = 9
LONGEST_QUESTION = 32
REST_SECONDS = 1e-3


def main() -> None:
    preset, length, rows, micro, workers = sys.argv[1], *map(int, sys.argv[2:6])
    config, ranks = ModelConfig.preset(preset, max_seq_length=length), launched_ranks()
    with Team(workers) as team:

        @cache
        def trial(overlap: bool) -> Trial:
            """Made when it is first asked for: a large model is not held twice, nor at all for sums alone."""
            return Trial(config, rows, micro, team, ranks, overlap=overlap)

        answers: dict[str, Callable[[], Any]] = {
            "step": lambda: trial(False).step(),
            "overlapped": lambda: trial(True).step(),
            "sums": lambda: sums(ranks),
            "forecast": lambda: foretold(ranks, team, plan(config, rows, micro, workers)),
        }
        for question in questions(ranks):
            answer = answers[question]()
            if ranks.leads:
                print(json.dumps(answer), flush=True)


def sums(ranks: Ranks) -> list[tuple[int, float]]:
    """(bytes, seconds) of sums as gradients are summed."""
    found = []
    for nbytes in SIZES:
        array, times = np.zeros(nbytes // 4, np.float32), []
        for _ in range(REPEATS):
            ranks.any(False)  # all begin at once
            start = perf_counter()
            ranks.sum(array)
            times.append(perf_counter() - start)
        found.append((nbytes, usual(times)))
    return found


def foretold(ranks: Ranks, team: Team, wanted: Plan) -> dict[str, Any]:
    """The seconds of a rank's step by what they are spent on, and its share of a core: means over ranks that all
    inspect the machine at once."""
    machine = inspect_machine(team, wanted)
    told = ranks.tell([Forecast(wanted, machine).parts, machine.core_share])
    parts = {name: fmean(each[name] for each, _ in told) for name in told[0][0]}
    return {"parts": parts, "core_share": fmean(share for _, share in told)}


def questions(ranks: Ranks) -> Iterator[str]:
    """What the leader is asked, for all ranks. They sleep while they wait: others may be measured meanwhile."""
    while question := told(ranks, sys.stdin.readline().strip() if ranks.leads else ""):
        yield question


def told(ranks: Ranks, question: str) -> str:
    word = np.zeros(LONGEST_QUESTION, np.uint8)
    word[: len(question)] = list(question.encode())
    if isinstance(ranks, MPIRanks):
        request = ranks.world.Ibcast(word)
        while not request.Test():
            time.sleep(REST_SECONDS)
    return word.tobytes().rstrip(b"\0").decode()


if __name__ == "__main__":
    main()
