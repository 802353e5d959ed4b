"""`mini-bert diagnose`: is a run healthy, and if not, what is wrong with it?"""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.core import ParameterSource
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.diagnosis.bands import Band, bands
from mini_bert.diagnosis.diagnosis import Diagnosis, Finding, diagnose
from mini_bert.diagnosis.figures import MEANINGS
from mini_bert.diagnosis.museum.exhibit import STEPS, Exhibit
from mini_bert.diagnosis.museum.exhibits import EXHIBITS, exhibit
from mini_bert.errors import counted

EPILOG = """\b
Examples:
  mini-bert diagnose runs/2026-01-31-120000
  mini-bert diagnose RUN --json
  mini-bert diagnose --museum
  mini-bert diagnose --museum labels-shifted

The exit code is 0 for a healthy run, 1 if something is wrong with it. In the museum it is 0 if every mistake
is recognized.
"""


@click.command(epilog=EPILOG)
@click.argument("name", metavar="[RUN]", required=False)
@click.option(
    "--museum",
    is_flag=True,
    help="Diagnose runs with a planted mistake: all, or the one named.",
)
@click.option("--figures", is_flag=True, help="Show every figure beside its band.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the museum's runs."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the story.")
@click.pass_context
def command(
    ctx: click.Context, name: str | None, museum: bool, figures: bool, seed: int, as_json: bool
) -> None:
    """Compare a run with sound ones, and name what is likely to be wrong with it.

    RUN is the folder of a run. Its log is compared with bands measured on our own runs, and its last checkpoint is
    examined by sound code.
    """
    if museum:
        ctx.exit(guided_tour(name, seed, as_json, with_figures=figures))
    if ctx.get_parameter_source("seed") is ParameterSource.COMMANDLINE:
        raise ValueError("--seed draws the museum's runs, and a run of yours is drawn already: leave it out")
    if name is None:
        raise ValueError("no run named; give the folder of one, or --museum")
    with progress("examining") as report:
        report(0.0, "the log and the last checkpoint")
        found = diagnose(Path(name))
    if as_json:
        print_json(found.as_dict())
    else:
        show(found, console(), with_figures=figures)
    ctx.exit(0 if found.is_healthy else 1)


def guided_tour(name: str | None, seed: int, as_json: bool, *, with_figures: bool) -> int:
    """Train exhibits and diagnose them; 0 if every mistake is recognized."""
    shown = EXHIBITS if name is None else (exhibit(name),)
    screen, recognized = console(quiet=as_json), []
    for entry in shown:
        found = visited(entry, seed)
        recognized.append(
            {"exhibit": entry.name, "mistake": entry.mistake, "expected": entry.cause, **found.as_dict()}
        )
        screen.rule(f"[bold]{entry.name}[/]", align="left")
        screen.print(f"The mistake: {escape(entry.mistake)}\n", soft_wrap=True)
        show(found, screen, with_figures=with_figures)
    right = sum(
        entry["causes"][:1] != [] and entry["causes"][0]["cause"] == entry["expected"] for entry in recognized
    )
    screen.print(f"{right} of {len(shown)} mistakes recognized")
    if as_json:
        print_json({"exhibits": recognized, "recognized": right})
    return 0 if right == len(shown) else 1


def visited(entry: Exhibit, seed: int) -> Diagnosis:
    with TemporaryDirectory() as folder, progress(entry.name) as report:
        report(0.0, f"{STEPS} steps with a mistake")
        return diagnose(entry.train(Path(folder) / "run", seed))


def show(found: Diagnosis, screen: Console, *, with_figures: bool) -> None:
    if found.is_healthy and found.is_early:
        screen.print(
            f"too early to judge: nothing is out of the ordinary, but after {counted(found.case.steps, 'step')} hardly"
            " anything could be"
        )
    elif found.is_healthy:
        screen.print(f"[green]healthy[/]: nothing in {found.case.steps:,} steps is out of the ordinary")
    for number, finding in enumerate(found.findings):
        show_finding(finding, screen, is_first=number == 0)
    if with_figures:
        show_figures(found, screen)
    for note in found.case.notes:
        screen.print(f"[dim]note: {escape(note)}[/]", soft_wrap=True)


def show_finding(finding: Finding, screen: Console, *, is_first: bool) -> None:
    cause = finding.cause
    if not is_first:
        screen.print(f"less likely, or a consequence: [bold]{cause.title}[/] ({cause.name})", soft_wrap=True)
        return
    screen.print(f"[red]{cause.title}[/] ({cause.name})", soft_wrap=True)
    for entry in finding.evidence:
        at = f" at step {entry.figure.step:,}" if entry.figure.step else ""
        where = f", {escape(entry.figure.where)}" if entry.figure.where else ""
        screen.print(
            f"  {escape(MEANINGS[entry.name].title)}: [bold]{entry.figure.value:.3g}[/]{at}{where};"
            f" sound: {in_words(entry.band)}",
            soft_wrap=True,
        )
    screen.print(f"What it means: {escape(cause.meaning)}", soft_wrap=True)
    screen.print(f"What to do: {escape(cause.remedy)}\n", soft_wrap=True)


def in_words(band: Band) -> str:
    low, high = band
    if isfinite(low) and isfinite(high):
        return f"{low:.3g} to {high:.3g}"
    return f"at most {high:.3g}" if isfinite(high) else f"at least {low:.3g}"


def show_figures(found: Diagnosis, screen: Console) -> None:
    made = table("figures", "figure", "value", "sound from", "to", "step")
    reference = bands()
    for name, figure in found.case.figures.items():
        low, high = reference.get(name, Band(float("-inf"), float("inf")))
        step = "" if figure.step is None else f"{figure.step:,}"
        made.add_row(escape(MEANINGS[name].title), f"{figure.value:.3g}", f"{low:.3g}", f"{high:.3g}", step)
    screen.print(made)
