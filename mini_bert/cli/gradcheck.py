"""`mini-bert gradcheck`: every gradient, hand-derived against numeric."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.threads import one_blas_thread
from mini_bert.core.gradcheck import TOLERANCE, Method, ParameterCheck
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.cost import parameters
from mini_bert.models.names import as_short, short
from mini_bert.training.verification import GradientReport, verify_gradients

CHECK_ALL_BELOW = 100_000
ENOUGH = 2_000
WIDE = 100

EPILOG = """\b
Examples:
  mini-bert gradcheck                          every entry of the debug model
  mini-bert gradcheck --preset mini            2,000 entries of the full model
  mini-bert gradcheck --method five-point --samples 20

Exit code 0 if every gradient is right, 1 if one is wrong.
"""


@click.command(epilog=EPILOG)
@click.option("--preset", default="debug", show_default=True, help="Which model.")
@click.option(
    "--method",
    type=click.Choice(list(TOLERANCE)),
    default="complex",
    show_default=True,
    help="complex: Im loss(w + ih)/h, exact to rounding. five-point: finite differences.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    help="Entries of each parameter; without it all of a small model, 2,000 in all of a large one.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Draws weights, batch and entries.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
@click.pass_context
def command(
    ctx: click.Context, preset: str, method: Method, samples: int | None, seed: int, as_json: bool
) -> None:
    """Prove every gradient numerically.

    Each weight of the model is moved a little, one at a time, and the change of the loss compared with the
    gradient derived by hand. The model is in float64, on a small batch with padding.
    """
    config = ModelConfig.preset(preset)
    weights = parameters(build_network(config))
    sizes = list(weights.values())
    samples = samples or default_samples(sizes)
    entries = sum(min(size, samples or size) for size in sizes)
    with one_blas_thread(), counting(entries) as on_entry:
        report = verify_gradients(config, method=method, samples=samples, seed=seed, on_entry=on_entry)
    if as_json:
        print_json({"preset": preset, "seed": seed, **as_dict(report)})
    else:
        show(report, f"{preset}: {entries:,} of {sum(sizes):,} gradients by {method} step", console())
    ctx.exit(0 if report.passed else 1)


def default_samples(sizes: list[int]) -> int | None:
    """All entries of a small model; of a large one as many of each parameter as make ENOUGH in all."""
    if sum(sizes) < CHECK_ALL_BELOW:
        return None
    return next(samples for samples in count(1) if sum(min(size, samples) for size in sizes) >= ENOUGH)


@contextmanager
def counting(entries: int) -> Iterator[Callable[[str], None]]:
    """A progress bar over all entries."""
    done = 0
    with progress("checking") as report:

        def on_entry(name: str) -> None:
            nonlocal done
            done += 1
            report(done / entries, f"{done:,} of {entries:,}  {short(name)}")

        yield on_entry


def show(report: GradientReport, title: str, screen: Console) -> None:
    screen.print(parameter_table(report, title, with_dotted_names=screen.width >= WIDE))
    for check in failures(report):
        screen.print(
            f"[red]✗[/] {check.name}{list(check.index)}: by hand {check.analytic:.10g}, "
            f"numerically {check.numeric:.10g}"
        )
    for name in report.unmoved:
        screen.print(f"[red]✗[/] {name}: every gradient is zero, so nothing would ever be learned here")
    verdict = "[green]✓ passed[/]" if report.passed else "[red]✗ FAILED[/]"
    screen.print(
        f"{verdict}: {report.checked:,} entries, worst relative error {report.worst:.1e}, "
        f"allowed {TOLERANCE[report.method]:.0e}"
    )


def parameter_table(report: GradientReport, title: str, *, with_dotted_names: bool) -> Table:
    names = ("parameter", "stored as") if with_dotted_names else ("parameter",)
    made = table(title, *names, "shape", "checked", "worst", "at")
    made.columns[len(names) - 1].justify = "left"
    wrong = {check.name for check in failures(report)} | set(report.unmoved)
    for check in report.checks:
        made.add_row(
            *(short(check.name), check.name)[: len(names)],
            "×".join(map(str, as_short(check.name, check.shape))),
            f"{check.checked:,}",
            f"{check.worst:.1e}",
            str(list(as_short(check.name, check.index))),
            style="red" if check.name in wrong else None,
        )
    return made


def failures(report: GradientReport) -> list[ParameterCheck]:
    return [check for check in report.checks if not check.worst <= TOLERANCE[report.method]]


def as_dict(report: GradientReport) -> dict[str, Any]:
    return {
        "method": report.method,
        "passed": report.passed,
        "entries": report.checked,
        "worst": report.worst,
        "tolerance": TOLERANCE[report.method],
        "all_zero": report.unmoved,
        "parameters": [
            {
                "name": check.name,
                "short": short(check.name),
                "shape": check.shape,
                "checked": check.checked,
                "worst": check.worst,
                "at": check.index,
                "by_hand": check.analytic,
                "numeric": check.numeric,
            }
            for check in report.checks
        ],
    }
