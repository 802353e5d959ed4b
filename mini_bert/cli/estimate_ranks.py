"""`mini-bert estimate --ranks N`: what training takes on many processes, from this machine's measurements."""

from __future__ import annotations

from importlib.util import find_spec
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from mini_bert.cli.screen import table
from mini_bert.cli.turns import Contestant
from mini_bert.cli.units import duration, in_bytes, percent
from mini_bert.profiling.forecast import Forecast, Plan
from mini_bert.profiling.scaling import Cluster, Link, ScaledStep, fitted, inspect_busy_machine, memory_link
from mini_bert.training.cluster.launch import launcher
from mini_bert.training.parallel import available_cores

LOOKS = 3
MEASURED_RANKS = 2
WARM_UP, STEPS = 2, 7
MOST_CHECKED = 8
FARTHEST = 1024
TRIAL = "mini_bert.profiling.rank_trial"


def estimated(
    preset: str, wanted: Plan, far: Link, per_machine: int | None, *, sharded: bool
) -> tuple[Forecast, Cluster, bool]:
    """The forecast of one rank's step, the cluster it is scaled to, and whether sums were measured by MPI."""
    cores = len(available_cores())
    per_machine = per_machine or max(1, cores // wanted.workers)
    busy = max(wanted.workers, min(cores, per_machine * wanted.workers))
    forecasts = [Forecast(wanted, inspect_busy_machine(wanted, busy)) for _ in range(LOOKS)]
    forecast = sorted(forecasts, key=lambda each: each.seconds)[LOOKS // 2]
    start, has_mpi = launcher(), find_spec("mpi4py") is not None
    is_measured = start is not None and has_mpi
    near = measured_link(start, preset, wanted) if start and has_mpi else memory_link()
    return forecast, Cluster(near, far, per_machine, cores, sharded), is_measured


def measured_link(start: str, preset: str, wanted: Plan) -> Link:
    with contestant(start, MEASURED_RANKS, preset, wanted) as trial:
        return fitted(trial.ask("sums"), MEASURED_RANKS)


def contestant(start: str, ranks: int, preset: str, wanted: Plan) -> Contestant:
    """Ranks that take the real step; with 1 it needs no launcher."""
    arguments = (preset, wanted.rows, wanted.micro_batch, wanted.workers)
    return Contestant(TRIAL, *arguments, launcher=(start, "-n", str(ranks)) if ranks > 1 else ())


def measured_step(ranks: int, preset: str, wanted: Plan) -> float:
    """The usual seconds of a real step on so many ranks of this machine."""
    start = launcher()
    if start is None or ranks > MOST_CHECKED:
        raise ValueError(
            f'--check of {ranks} ranks: needs mpiexec on this machine (pip install "mini-bert[mpi]"), and at most'
            f" {MOST_CHECKED} ranks"
        )
    with contestant(start, ranks, preset, wanted) as trial:
        times = [trial.ask("step") for _ in range(WARM_UP + STEPS)]
    return float(median(times[WARM_UP:]))


def rank_counts(most: int) -> list[int]:
    """1, 2, 4 … 1,024, and the number asked for."""
    powers = [1 << power for power in range(FARTHEST.bit_length()) if 1 << power <= max(most, FARTHEST)]
    return sorted({*powers, most})


def show(
    steps: list[ScaledStep],
    cluster: Cluster,
    tokens: int,
    asked: int,
    screen: Console,
    *,
    is_measured: bool,
    core_share: float,
) -> None:
    screen.print(scaling_table(steps, tokens, asked))
    plan, near, far = steps[0].plan, cluster.near, cluster.far
    whose = "fitted to sums timed here" if is_measured else "assumed from memory: mpi4py is not installed"
    shared = " Moments are sharded." if cluster.sharded else ""
    screen.print(
        f"Assumed: {cluster.per_machine} ranks on each machine like this one ({cluster.cores} cores), "
        f"{plan.workers} thread(s) each; each rank has {plan.rows} sequences in a step, so the batch grows with the"
        f" ranks.{shared} A sum of N ranks takes 2 log₂ N latencies and sends {in_bytes(4 * plan.weights)} about twice."
        f" Within a machine {1e6 * near.latency:,.1f} µs and {8e-9 * near.bandwidth:,.1f} Gbit/s ({whose}); between"
        f" machines {1e6 * far.latency:,.1f} µs and {8e-9 * far.bandwidth:,.1f} Gbit/s (--latency, --bandwidth). No sum"
        " overlaps with arithmetic, no rank is slower than another, text is there when it is wanted."
    )
    if core_share < 0.9:
        screen.print(
            f"Others use this machine: a worker had {percent(core_share, 0)} of its core, and all figures with it."
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
    steps: list[ScaledStep], cluster: Cluster, tokens: int, real: dict[int, float], *, is_measured: bool
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
                "measured": real.get(step.ranks),
            }
            for step in steps
        ],
        "near": {
            "latency": cluster.near.latency,
            "bandwidth": cluster.near.bandwidth,
            "measured": is_measured,
        },
        "far": {"latency": cluster.far.latency, "bandwidth": cluster.far.bandwidth},
        "per_machine": cluster.per_machine,
        "sharded": cluster.sharded,
        "tokens": tokens,
    }
