"""`mini-bert estimate --ranks N`: what training takes on many processes, from this machine's measurements."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from mini_bert.cli.screen import table
from mini_bert.cli.turns import Contestant
from mini_bert.cli.units import duration, in_bytes, percent
from mini_bert.errors import counted
from mini_bert.profiling.forecast import BUSY, LOOKS, Forecast, Plan
from mini_bert.profiling.scaling import (
    PIECE,
    Cluster,
    Link,
    ScaledStep,
    fitted,
    inspect_busy_machine,
    memory_link,
)
from mini_bert.training.cluster.launch import launcher
from mini_bert.training.parallel import available_cores

MEASURED_RANKS = 2
WARM_UP, STEPS = 2, 7
MOST_CHECKED = 8
FARTHEST = 1024
TRIAL = "mini_bert.profiling.rank_trial"


@dataclass(frozen=True)
class Measured:
    """What the scaling starts from: the parts of one rank's step, its share of a core, and the link between ranks."""

    parts: dict[str, float]
    core_share: float
    near: Link
    by_mpi: bool


@dataclass(frozen=True)
class Checked:
    """Seconds of a step on so many ranks of this machine alone."""

    ranks: int
    predicted: float
    measured: float


def estimated(
    preset: str, wanted: Plan, far: Link, per_machine: int | None, *, sharded: bool
) -> tuple[Measured, Cluster]:
    """This machine with as many ranks at work as it has room for, and the cluster that is made of such machines."""
    cores = len(available_cores())
    if wanted.workers > cores:
        raise ValueError(
            f"--workers {wanted.workers} on each rank: this machine has {counted(cores, 'core')}"
        )
    room = max(1, cores // wanted.workers)
    per_machine = per_machine or room
    busy, start = min(room, per_machine), launcher()
    if start is not None and find_spec("mpi4py") is not None:
        found = measured_by_ranks(start, preset, wanted, busy)
    else:
        found = measured_by_threads(wanted, busy)
    return found, Cluster(found.near, far, per_machine, cores, sharded)


def measured_by_ranks(start: str, preset: str, wanted: Plan, busy: int) -> Measured:
    with contestant(start, busy, preset, wanted) as trial:
        looks = [trial.ask("forecast") for _ in range(LOOKS)]
    with contestant(start, MEASURED_RANKS, preset, wanted) as trial:
        near = fitted(trial.ask("sums"), MEASURED_RANKS)
    middle = sorted(looks, key=lambda look: sum(look["parts"].values()))[LOOKS // 2]
    return Measured(middle["parts"], middle["core_share"], near, by_mpi=True)


def measured_by_threads(wanted: Plan, busy: int) -> Measured:
    """Without MPI: threads stand for ranks, and memory for what lies between them."""
    looks = [Forecast(wanted, inspect_busy_machine(wanted, busy * wanted.workers)) for _ in range(LOOKS)]
    middle = sorted(looks, key=lambda look: look.seconds)[LOOKS // 2]
    return Measured(middle.parts, middle.machine.core_share, memory_link(), by_mpi=False)


def contestant(start: str, ranks: int, preset: str, wanted: Plan) -> Contestant:
    """Ranks that take the real step; with 1 it needs no launcher."""
    arguments = (preset, wanted.config.max_seq_length, wanted.rows, wanted.micro_batch, wanted.workers)
    return Contestant(TRIAL, *arguments, launcher=(start, "-n", str(ranks)) if ranks > 1 else ())


def refuse_check(ranks: int, *, sharded: bool) -> None:
    """ValueError if so many ranks cannot be tried on this machine."""
    if sharded:
        raise ValueError(
            "--check with --shard-optimizer: real steps are taken with whole moments; leave one out"
        )
    if ranks > MOST_CHECKED:
        raise ValueError(f"--check of {ranks} ranks on one machine: choose {MOST_CHECKED} at most")
    if ranks > 1 and (launcher() is None or find_spec("mpi4py") is None):
        raise ValueError(
            f"--check of {ranks} ranks: needs MPI on this machine; install it: "
            'pip install "mini-bert[mpi]", or pip install -e ".[mpi]" in a clone'
        )


def checked(ranks: int, preset: str, wanted: Plan, measured: Measured, cluster: Cluster) -> Checked:
    """So many ranks side by side on this machine, foretold and then really run."""
    here = replace(cluster, per_machine=ranks, far=cluster.near)
    with contestant(launcher() or "", ranks, preset, wanted) as trial:
        times = [trial.ask("step") for _ in range(WARM_UP + STEPS)]
    return Checked(ranks, here.step(wanted, measured.parts, ranks).seconds, float(median(times[WARM_UP:])))


def rank_counts(asked: int) -> list[int]:
    """1, 2, 4 … 1,024, and the number asked for."""
    return sorted({*(1 << power for power in range(FARTHEST.bit_length())), asked})


def show(
    steps: list[ScaledStep],
    cluster: Cluster,
    tokens: int,
    asked: int,
    screen: Console,
    measured: Measured,
) -> None:
    screen.print(scaling_table(steps, tokens, asked))
    plan, near, far = steps[0].plan, cluster.near, cluster.far
    whose = "fitted to sums timed here" if measured.by_mpi else "assumed from memory: mpi4py is not installed"
    shared = " Moments are sharded." if cluster.sharded else ""
    screen.print(
        f"Assumed: {cluster.per_machine} ranks on each machine like this one ({cluster.cores} cores), "
        f"{counted(plan.workers, 'thread')} each; each rank has {plan.rows} sequences in a step, so the batch grows"
        f" with the ranks.{shared} A sum of N ranks sends {in_bytes(4 * plan.weights)} about twice, and takes 2 log₂ N"
        f" latencies for each {in_bytes(PIECE)}. A rank alone is a little faster than here, where all cores are busy."
        f" Within a machine {1e6 * near.latency:,.1f} µs and {8e-9 * near.bandwidth:,.1f} Gbit/s ({whose}); between"
        f" machines {1e6 * far.latency:,.1f} µs and {8e-9 * far.bandwidth:,.1f} Gbit/s (--latency, --bandwidth). No sum"
        " overlaps with arithmetic, no rank is slower than another, text is there when it is wanted."
    )
    if measured.core_share < BUSY:
        share = percent(measured.core_share, 0)
        screen.print(
            f"Others use this machine: a worker had {share} of its core, and that is in all figures."
        )


def scaling_table(steps: list[ScaledStep], tokens: int, asked: int) -> Table:
    columns = ("ranks", "batch", "compute", "reduce", "optimizer", "step", "tokens/s", "of N ×", "time")
    made = table("Ranks", *columns)
    alone = steps[0].tokens_per_second
    for step in steps:
        made.add_row(
            f"{step.ranks:,}",
            f"{step.ranks * step.plan.rows:,}",
            *(in_seconds(part) for part in (step.compute, step.reduce, step.update, step.seconds)),
            f"{step.tokens_per_second:,.0f}",
            percent(step.tokens_per_second / (alone * step.ranks), 0),
            duration(step.seconds_to(tokens)),
            style="bold" if step.ranks == asked else "",
        )
    return made


def in_seconds(seconds: float) -> str:
    """12.3 ms, or 1.23 s"""
    return (
        f"{1e3 * seconds:,.1f} ms"
        if seconds < 1
        else f"{seconds:,.2f} s"
        if seconds < 100
        else f"{seconds:,.0f} s"
    )


def as_dict(
    steps: list[ScaledStep], cluster: Cluster, tokens: int, check: Checked | None, measured: Measured
) -> dict[str, Any]:
    return {
        "ranks": [
            {
                "ranks": step.ranks,
                "sequences": step.ranks * step.plan.rows,
                "seconds": step.seconds,
                "compute": step.compute,
                "reduce": step.reduce,
                "optimizer": step.update,
                "tokens_per_second": step.tokens_per_second,
                "seconds_to_tokens": step.seconds_to(tokens),
            }
            for step in steps
        ],
        "near": {
            "latency": cluster.near.latency,
            "bandwidth": cluster.near.bandwidth,
            "measured": measured.by_mpi,
        },
        "far": {"latency": cluster.far.latency, "bandwidth": cluster.far.bandwidth},
        "per_machine": cluster.per_machine,
        "sharded": cluster.sharded,
        "tokens": tokens,
        "checked": asdict(check) if check else None,
    }
