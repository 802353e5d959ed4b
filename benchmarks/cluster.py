"""Two ranks against one, sums that overlap against sums that do not, foretold against measured.

    python -m benchmarks.cluster
    python -m benchmarks.cluster --preset small --rounds 20
    python -m benchmarks.cluster --launch "-hosts node1,node2"       # over a network

Every rank has one thread and four micro-batches in a step, the same for one rank and for two. All contestants live at
once and take turns, step by step; those who wait sleep. Then the same for what `mini-bert estimate --ranks` foretells:
the machine is inspected before and after the steps that it is compared with.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import ExitStack
from statistics import median
from typing import Any

from benchmarks.cluster_launch import mpiexec
from mini_bert.cli.turns import Contestant
from mini_bert.models.config import ModelConfig
from mini_bert.profiling.forecast import Plan, plan
from mini_bert.profiling.scaling import Cluster, fitted
from mini_bert.training.parallel import available_cores

TRIAL = "mini_bert.profiling.rank_trial"
MICRO_BATCHES = 4
WARM_UP = 2


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--preset", default="mini")
    parser.add_argument("--micro", type=int, default=8, help="sequences in a micro-batch")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--launch", default="", help="more options for mpiexec")
    options = parser.parse_args()
    wanted = plan(ModelConfig.preset(options.preset), MICRO_BATCHES * options.micro, options.micro, 1)
    more = options.launch.split()
    found = {
        "step": f"{options.preset}, {wanted.rows} × {wanted.config.max_seq_length} tokens on each rank",
        **scaling(options.preset, wanted, options.rounds, more),
        "foretold": foretold(options.preset, wanted, options.rounds, more),
    }
    print(json.dumps(found, indent=2))


def ranks(size: int, preset: str, wanted: Plan, more: list[str]) -> Contestant:
    launcher = (mpiexec(), "-n", str(size), *more) if size > 1 else ()
    arguments = (preset, wanted.config.max_seq_length, wanted.rows, wanted.micro_batch, wanted.workers)
    return Contestant(TRIAL, *arguments, launcher=launcher)


def scaling(preset: str, wanted: Plan, rounds: int, more: list[str]) -> dict[str, Any]:
    """One rank, two, and two with sums that overlap, in turns."""
    with ExitStack() as opened:
        one = opened.enter_context(ranks(1, preset, wanted, more))
        two = opened.enter_context(ranks(2, preset, wanted, more))
        turns = {"one": (one, "step"), "two": (two, "step"), "two_overlapped": (two, "overlapped")}
        times: dict[str, list[float]] = {name: [] for name in turns}
        for number in range(rounds + WARM_UP):
            for name, (contestant, question) in turns.items():
                seconds = contestant.ask(question)
                if number >= WARM_UP:
                    times[name].append(seconds)
            print(f"round {number + 1}", file=sys.stderr, flush=True)
    middle = {name: median(each) for name, each in times.items()}
    return {
        "seconds": middle,
        "fastest": {name: min(each) for name, each in times.items()},
        "speedup_of_two": 2 * middle["one"] / middle["two"],
        "speedup_of_two_overlapped": 2 * middle["one"] / middle["two_overlapped"],
        "overlapped_is_faster_in": sum(
            a < b for a, b in zip(times["two_overlapped"], times["two"], strict=True)
        )
        / rounds,
    }


def foretold(preset: str, wanted: Plan, rounds: int, more: list[str]) -> dict[str, Any]:
    """Predicted and measured seconds of a step on 2 and 4 ranks of this machine; sums are timed on 2."""
    cores, found = len(available_cores()), {}
    for size in (2, 4):
        with (
            ranks(2, preset, wanted, more) as pair,
            ranks(min(size, cores), preset, wanted, more) as inspecting,
        ):
            near, parts, times = fitted(pair.ask("sums"), 2), [], []
            with ranks(size, preset, wanted, more) as contestant:
                for _ in range(WARM_UP):
                    contestant.ask("step")
                for _ in range(3):
                    parts.append(inspecting.ask("forecast")["parts"])
                    times += [contestant.ask("step") for _ in range(max(1, rounds // 3))]
        cluster = Cluster(near, near, per_machine=size, cores=cores)
        predicted = median(cluster.step(wanted, each, size).seconds for each in parts)
        found[f"{size} ranks"] = {
            "predicted": predicted,
            "measured": median(times),
            "ratio": predicted / median(times),
        }
    return found


if __name__ == "__main__":
    main()
