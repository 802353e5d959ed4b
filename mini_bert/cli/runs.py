"""`mini-bert runs`: the runs on this machine, and how they compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import clock, percent
from mini_bert.run_reports.comparison import SCORES, Group, check_metric, differences, groups_by_seed
from mini_bert.run_reports.history import series
from mini_bert.run_reports.search import runs_below
from mini_bert.run_reports.student import CONFIDENCE, Interval
from mini_bert.run_reports.summary import RunSummary, summary_of
from mini_bert.training.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_FOLDER = Path("runs")
NOTHING = "–"

EPILOG = """\b
Examples:
  mini-bert runs
  mini-bert runs A B C --differences
  mini-bert runs A B C --plot curves.png --metric held_out_accuracy
  mini-bert runs sweep --by-seed --plot sweep.svg

--by-seed puts runs together that differ in nothing but their seed, and gives the mean of each score
with its 95 % interval by Student's t: mean ± t·s/√n. Of a single run's loss or accuracy, --plot draws training and
held-out text, and what word frequencies alone would score.
"""


@click.command(epilog=EPILOG)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[FOLDER]...")
@click.option("--by-seed", is_flag=True, help="One row for runs that differ only in their seed.")
@click.option("--differences", "with_differences", is_flag=True, help="Show in which settings runs differ.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw their curves into this .png or .svg.")
@click.option("--metric", default="held_out_loss", show_default=True, help="What to draw.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(
    folders: tuple[Path, ...],
    by_seed: bool,
    with_differences: bool,
    plot: Path | None,
    metric: str,
    as_json: bool,
) -> None:
    """List the runs in some folders, and compare them.

    A folder is a run's own, or one with runs below it; without any, it is ./runs.
    """
    runs = found_runs(folders or (DEFAULT_FOLDER,))
    groups = groups_by_seed(runs) if by_seed else []
    apart = differences([run.settings for run in runs]) if with_differences else {}
    if plot is not None:
        draw(runs, groups, metric, plot)
    if as_json:
        print_json(as_dict(runs, groups, apart, plot, by_seed, with_differences))
        return
    screen = console()
    if by_seed:
        show_groups(groups, screen)
    else:
        show_runs(runs, screen)
    if with_differences:
        show_differences(runs, apart, screen)
    if plot is not None:
        screen.print(f"{metric}: {escape(str(plot))}", soft_wrap=True)


def found_runs(folders: Sequence[Path]) -> list[RunSummary]:
    """All that can be read; what is wrong with the others goes to standard error."""
    runs, faults = [], []
    for name, folder in runs_below(folders).items():
        try:
            runs.append(summary_of(folder, name))
        except ValueError as error:
            faults.append(str(error))
    if not runs:
        raise ValueError("; ".join(faults))
    for fault in faults:
        console(stderr=True).print(f"[yellow]left out: {escape(fault)}[/]", soft_wrap=True)
    return runs


def draw(runs: Sequence[RunSummary], groups: Sequence[Group], metric: str, path: Path) -> None:
    from mini_bert.plots.comparison import Contender, comparison
    from mini_bert.plots.style import check_format, save

    check_format(path)
    check_metric(runs, metric)
    if len(runs) == 1 and (learned := learning_curve(runs[0], metric)):
        return save(learned, path)
    if groups:
        contenders = [Contender(group.title, *group.mean(metric)) for group in groups]
    else:
        contenders = [Contender(run.name, series(run.lines, metric)) for run in runs]
    chosen = [one for one in contenders if not one.series.is_empty]
    if not chosen:
        raise ValueError(
            f"--metric {metric}: no step that all runs of a group have logged; leave --by-seed out"
        )
    save(comparison(chosen, metric.replace("held_out", "held-out").replace("_", " ")), path)


def learning_curve(run: RunSummary, metric: str) -> Figure | None:
    """Of a single run's loss or accuracy: training and held-out text, and what one scores without reading."""
    from mini_bert.run_reports.panels import learning

    title = metric.removeprefix("held_out_").capitalize()
    panels = {panel.title: panel.figure for panel in learning(run.lines, RunFolder(run.path).facts())}
    return panels.get(title)


def show_runs(runs: Sequence[RunSummary], screen: Console) -> None:
    made = table(
        "Runs",
        "run",
        "state",
        "steps",
        "loss",
        "held-out",
        "found",
        "perplexity",
        "time",
        "model",
        "corpus",
        "date",
        shortened=["state", "model", "corpus"],
    )
    for run in runs:
        score = run.held_out
        made.add_row(
            escape(run.name),
            run.state,
            f"{run.steps:,}",
            decimal(run.loss),
            decimal(score.loss if score else None),
            NOTHING if score is None or score.accuracy is None else percent(score.accuracy),
            decimal(score.perplexity if score else None, 1),
            clock(run.seconds),
            escape(run.model),
            escape(run.corpus),
            f"{run.date:%Y-%m-%d %H:%M}",
        )
    screen.print(made)


def show_groups(groups: Sequence[Group], screen: Console) -> None:
    made = table(
        f"Means over seeds, ± half of the {percent(CONFIDENCE, 0)} interval",
        "settings",
        "n",
        "loss",
        "held-out",
        "found, %",
        "perplexity",
        "time",
    )
    for group in groups:
        loss, held_out, found, perplexity, seconds = (group.interval(score) for score in SCORES)
        made.add_row(
            escape(group.name),
            str(len(group.runs)),
            with_interval(loss),
            with_interval(held_out),
            with_interval(
                found and Interval(100 * found.mean, found.half_width and 100 * found.half_width, found.n), 1
            ),
            with_interval(perplexity, 1),
            clock(seconds.mean) if seconds else NOTHING,
        )
    screen.print(made)


def show_differences(runs: Sequence[RunSummary], apart: dict[str, list[Any]], screen: Console) -> None:
    if not apart:
        screen.print("their settings are the same")
        return
    made = table("Settings that differ", "setting", "run", "value", shortened=["run", "value"])
    for name, values in apart.items():
        for number, (run, value) in enumerate(zip(runs, values, strict=True)):
            told = NOTHING if value is None else escape(str(value))
            made.add_row("" if number else escape(name), escape(run.name), told)
    screen.print(made)


def as_dict(
    runs: Sequence[RunSummary],
    groups: Sequence[Group],
    apart: dict[str, list[Any]],
    plot: Path | None,
    by_seed: bool,
    with_differences: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {"runs": [run.as_dict() for run in runs]}
    if by_seed:
        found["groups"] = [
            {
                "name": group.name,
                "runs": [run.name for run in group.runs],
                "n": len(group.runs),
                "confidence": CONFIDENCE,
                **{score: told._asdict() if (told := group.interval(score)) else None for score in SCORES},
            }
            for group in groups
        ]
    if with_differences:
        found["differences"] = {
            name: {run.name: value for run, value in zip(runs, values, strict=True)}
            for name, values in apart.items()
        }
    if plot is not None:
        found["plot"] = str(plot)
    return found


def decimal(value: float | None, places: int = 3) -> str:
    return NOTHING if value is None else f"{value:,.{places}f}"


def with_interval(found: Interval | None, places: int = 3) -> str:
    if found is None:
        return NOTHING
    half = "" if found.half_width is None else f" ± {found.half_width:,.{places}f}"
    return f"{found.mean:,.{places}f}{half}"
