"""`mini-bert average`: the mean of several weights of one training."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import percent
from mini_bert.evaluation.intrinsic.row_scores import Measure, perplexity, score
from mini_bert.pretrained.average import Averaged, average
from mini_bert.pretrained.hidden_words import ROWS

MEASURES: tuple[Measure, ...] = ("loss", "found")
EPILOG = """\b
Examples:
  mini-bert average mini-best runs/further --out averaged
  mini-bert average runs/long/checkpoints/step-00009000 runs/long --out averaged --text "corpus/held_out/*.txt.gz"
  mini-bert pack averaged --out packed/mini-best

The models must be of one training, checkpoints of a run and the model that it went on from (train --init), for the mean
has one card. Their mean may find more words than any of them. Weights that were drawn apart lie in different valleys,
and their mean knows nothing.
"""


@click.command(epilog=EPILOG)
@click.argument("models", metavar="MODEL MODEL...", nargs=-1, required=True)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Write it here."
)
@click.option(
    "--text",
    "texts",
    multiple=True,
    metavar="FILE",
    help="Held-out text to examine all on; may be repeated.  [default: stories of the embedded world]",
)
@click.option(
    "--max-rows",
    type=click.IntRange(min=2),
    default=ROWS,
    show_default=True,
    help="Of text to examine on, at most.",
)
@click.option(
    "--replace", is_flag=True, help="In place of the model that is there, if it is none of the MODELs."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(
    models: tuple[str, ...], out: Path, texts: tuple[str, ...], max_rows: int, replace: bool, as_json: bool
) -> None:
    """Write the mean of the weights of several MODELs, and tell how well each of them finds hidden words.

    A MODEL is a run, of which the best checkpoint is taken, a checkpoint, a folder with a model, mini or mini-best. The
    mean is a folder that every command takes as --model.
    """
    with progress("averaging") as report:
        found = average(models, out, texts=texts, most_rows=max_rows, replace=replace, report=report)
    if as_json:
        print_json(found.as_dict())
    else:
        show(found, console())


def show(found: Averaged, screen: Console) -> None:
    made = table(f"hidden words of {found.text}", "model", "loss", "perplexity", "found")
    for name, rows in {**found.scores, "the mean": found.mean}.items():
        loss, share = (score(rows, measure).value for measure in MEASURES)
        made.add_row(escape(name), f"{loss:.4f}", f"{perplexity(rows):,.1f}", percent(share, 1))
    screen.print(made)
    screen.print(verdict(found))
    screen.print(f"\n[green]✓[/] {escape(str(found.folder))}", soft_wrap=True)


def verdict(found: Averaged) -> str:
    """What the exam says of the mean beside the best of them, and why."""
    (gain, low, high), best = found.gain, escape(found.best)
    if low is None or high is None:
        return f"[yellow]–[/] one row of text cannot tell whether the mean is better than {best}"
    if low > 0:
        return f"[green]✓[/] the mean has {gain:.4f} nats less loss than {best} ({low:.4f} to {high:.4f})"
    if high >= 0:
        told, low, high = ("more", -high, -low) if gain < 0 else ("less", low, high)
        return (
            f"[yellow]–[/] the mean has {abs(gain):.4f} nats {told} loss than {best}, which may be chance ({low:+.4f} "
            f"to {high:+.4f})"
        )
    above = found.above_average.low
    why = (
        "more than they have on average, so a ridge lies between them"
        if above is not None and above > 0
        else "which is better by itself"
    )
    return f"[red]✗[/] the mean has {-gain:.4f} nats more loss than {best} ({-high:.4f} to {-low:.4f}), {why}"
