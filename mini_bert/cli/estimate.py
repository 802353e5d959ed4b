"""`mini-bert estimate`: what a training step will take on this machine, before it is run."""

from __future__ import annotations

from statistics import median
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table

from mini_bert.cli import estimate_ranks as scaling
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.trial_options import chosen_config, step_title, trial_options
from mini_bert.cli.units import duration, in_bytes, in_flops, percent
from mini_bert.errors import counted
from mini_bert.profiling.forecast import BUSY, LOOKS, Forecast, Plan, inspect_machine, plan
from mini_bert.profiling.scaling import Link
from mini_bert.profiling.trial import Trial
from mini_bert.training.parallel import Team
from mini_bert.training.workers import suitable_workers

DEFAULT_TOKENS = 10_000_000
WARM_UP = 2
OF_RANKS = ("per_machine", "latency", "bandwidth", "shard_optimizer")
FEWEST_STEPS, MOST_STEPS, CHECK_SECONDS = 3, 30, 2.0

EPILOG = """\b
Examples:
  mini-bert estimate --preset large --batch 32 --micro 8
  mini-bert estimate --preset mini --seq 128 --tokens 50000000
  mini-bert estimate --preset debug --check
  mini-bert estimate --preset bert-base --ranks 256 --bandwidth 100

With --ranks, --batch is what each rank has in a step.

The model's own code runs on arrays without numbers, which gives every NumPy operation and all memory of a step. The
machine is measured for a few seconds at such operations, all workers at once.
"""


@click.command(epilog=EPILOG)
@trial_options
@click.option(
    "--tokens", type=click.IntRange(min=1), default=DEFAULT_TOKENS, show_default=True, help="To train on."
)
@click.option(
    "--ranks", type=click.IntRange(min=1), help="Processes that train together, as mpiexec starts them."
)
@click.option(
    "--per-machine", type=click.IntRange(min=1), help="Ranks on each machine.  [default: one for each core]"
)
@click.option(
    "--latency",
    type=click.FloatRange(min=0),
    default=20.0,
    show_default=True,
    help="Microseconds between two machines.",
)
@click.option(
    "--bandwidth",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Gbit/s between two machines.",
)
@click.option("--shard-optimizer", is_flag=True, help="Each rank updates its own stretch of the weights.")
@click.option("--check", is_flag=True, help="Then run a few real steps, and compare.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    preset: str,
    batch: int,
    micro: int,
    seq: int | None,
    workers: int | None,
    tokens: int,
    ranks: int | None,
    check: bool,
    as_json: bool,
    **network: Any,
) -> None:
    """Predict memory, FLOPs and time of training on this machine.

    Float32, AdamW, gradients clipped, packed sequences, 15 % of the words masked.
    """
    config = chosen_config(preset, seq)
    if ranks is not None:
        estimate_ranks(
            preset, plan(config, batch, micro, workers or 1), tokens, ranks, check, as_json, network
        )
        return
    refuse_options_of_ranks()
    size = workers or suitable_workers(config, batch, micro)
    wanted = plan(config, batch, micro, size)
    with Team(size) as team:
        trial = Trial(config, batch, micro, team) if check else None
        forecasts, times = [], steps_of(trial, WARM_UP)[WARM_UP:]
        for _ in range(LOOKS):
            forecasts.append(Forecast(wanted, inspect_machine(team, wanted)))
            times += steps_of(trial, FEWEST_STEPS)
        forecast = sorted(forecasts, key=lambda each: each.seconds)[LOOKS // 2]
        real = {"seconds": median(times), "bytes": trial.peak_bytes(FEWEST_STEPS)} if trial else None
    if as_json:
        print_json(as_dict(forecast, tokens, real))
    else:
        show(forecast, step_title(preset, config, batch, micro, size), tokens, real, console())


def refuse_options_of_ranks() -> None:
    ctx = click.get_current_context()
    for name in OF_RANKS:
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ValueError(f"--{name.replace('_', '-')} is about several ranks: say how many with --ranks")


def estimate_ranks(
    preset: str, wanted: Plan, tokens: int, ranks: int, check: bool, as_json: bool, network: dict[str, Any]
) -> None:
    far = Link(1e-6 * network["latency"], 1e9 / 8 * network["bandwidth"])
    sharded = network["shard_optimizer"]
    if check:
        scaling.refuse_check(ranks, sharded=sharded)
    measured, cluster = scaling.estimated(preset, wanted, far, network["per_machine"], sharded=sharded)
    steps = [cluster.step(wanted, measured.parts, size) for size in scaling.rank_counts(ranks)]
    found = scaling.checked(ranks, preset, wanted, measured, cluster) if check else None
    if as_json:
        print_json(scaling.as_dict(steps, cluster, tokens, found, measured))
        return
    screen = console()
    title = step_title(preset, wanted.config, wanted.rows, wanted.micro_batch, wanted.workers)
    screen.print(f"[bold]{title}, on each rank[/]\n")
    scaling.show(steps, cluster, tokens, ranks, screen, measured)
    if found:
        screen.print(
            f"Checked with {counted(ranks, 'rank')} on this machine alone: {1e3 * found.predicted:,.1f} ms predicted, "
            f"{1e3 * found.measured:,.1f} ms measured, ratio {found.predicted / found.measured:.2f}"
        )


def steps_of(trial: Trial | None, fewest: int) -> list[float]:
    """Seconds of some real steps; none without a trial."""
    found: list[float] = []
    while trial and (len(found) < fewest or (sum(found) < CHECK_SECONDS and len(found) < MOST_STEPS)):
        found.append(trial.step())
    return found


def show(forecast: Forecast, title: str, tokens: int, real: dict[str, float] | None, screen: Console) -> None:
    plan, seconds = forecast.plan, forecast.seconds
    screen.print(f"[bold]{title}[/]\n")
    screen.print(time_table(forecast))
    screen.print(memory_table(forecast))
    screen.print(
        f"{in_flops(plan.flops)} a step, {in_flops(plan.flops / seconds)} per second, "
        f"{plan.tokens / seconds:,.0f} tokens per second: {tokens:,} tokens take "
        f"{duration(forecast.seconds_to(tokens))}."
    )
    if forecast.machine.core_share < BUSY:
        screen.print(
            f"Others use this machine: a worker had {percent(forecast.machine.core_share, 0)} of its core. "
            "On a quiet machine a step takes less."
        )
    if real is not None:
        screen.print()
        screen.print(check_table(forecast, real))


def time_table(forecast: Forecast) -> Table:
    made = table("Time", "", "ms", "share")
    for name, seconds in forecast.parts.items():
        made.add_row(name, f"{1e3 * seconds:,.2f}", percent(seconds / forecast.seconds))
    made.add_section()
    made.add_row("step", f"{1e3 * forecast.seconds:,.2f}", "", style="bold")
    return made


def memory_table(forecast: Forecast) -> Table:
    made = table("Memory", "", "at the peak")
    for name, amount in forecast.plan.memory.items():
        made.add_row(name, in_bytes(amount))
    made.add_section()
    made.add_row("arrays", in_bytes(sum(forecast.plan.memory.values())), style="bold")
    return made


def check_table(forecast: Forecast, real: dict[str, float]) -> Table:
    made = table("Checked", "", "predicted", "measured", "ratio")
    ratios, predicted = compared(forecast, real), sum(forecast.plan.memory.values())
    made.add_row(
        "step",
        f"{1e3 * forecast.seconds:,.1f} ms",
        f"{1e3 * real['seconds']:,.1f} ms",
        f"{ratios['seconds']:.2f}",
    )
    made.add_row("arrays", in_bytes(predicted), in_bytes(real["bytes"]), f"{ratios['bytes']:.2f}")
    return made


def compared(forecast: Forecast, real: dict[str, float]) -> dict[str, float]:
    """Predicted as a multiple of measured."""
    return {
        "seconds": forecast.seconds / real["seconds"],
        "bytes": sum(forecast.plan.memory.values()) / real["bytes"],
    }


def as_dict(forecast: Forecast, tokens: int, real: dict[str, float] | None) -> dict[str, Any]:
    plan, machine, seconds = forecast.plan, forecast.machine, forecast.seconds
    return {
        "config": plan.config.model_dump(),
        "step": {
            "batch": plan.rows,
            "micro": plan.micro_batch,
            "tokens": plan.config.max_seq_length,
            "workers": plan.workers,
        },
        "parameters": plan.weights,
        "flops": plan.flops,
        "memory": {**plan.memory, "sum": sum(plan.memory.values())},
        "seconds": seconds,
        "seconds_by_part": forecast.parts,
        "tokens_per_second": plan.tokens / seconds,
        "budget": {"tokens": tokens, "seconds": forecast.seconds_to(tokens)},
        "machine": {
            "core_share": machine.core_share,
            "seconds_per_call": machine.calls.alone,
            "seconds_per_contended_call": machine.calls.contended,
            "seconds_per_handover": machine.handover,
            "product_flops_per_second": {
                " × ".join(map(str, operation.sizes)): plan.workers * rate
                for operation, rate in machine.rates.products.items()
            },
            "nanoseconds_per_entry": {
                f"{kind}, {arrays} arrays": {str(n): 1e9 * took / n for n, took in curve.points}
                for (kind, arrays), curve in machine.rates.curves.items()
            },
        },
        "measured": real,
        "ratio": compared(forecast, real) if real else None,
    }
