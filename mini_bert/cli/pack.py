"""`mini-bert pack`: a trained model in a folder that can be shipped."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import percent
from mini_bert.pretrained.agreement import WANTED_AGREEMENT
from mini_bert.pretrained.hidden_words import ROWS
from mini_bert.pretrained.packing import LICENCE, Packed, pack

EPILOG = """\b
Examples:
  mini-bert pack runs/long --out packed/mini-best
  mini-bert pack runs/long --out mini-best --text "corpus/held_out/*.txt.gz" --corpus corpus/corpus.json
  mini-bert pack packed/mini-best --out packed/mini-best --replace --results metrics.json --results pos.json
  mini-bert fill-mask "The cat sat on the [MASK]." --model packed/mini-best

Results are files that mini-bert evaluate, metrics, probe, minimal-pairs and finetune write with --json, of the RUN or
of the packed model; those of other weights are refused. They go into evaluation.json and the model card. A model that
was packed before keeps what was measured then: pack it again to add results.

If fewer than 99.5 % of the first guesses are the same, the folder is written all the same, and the exit code is 1.
"""


@click.command(epilog=EPILOG)
@click.argument("source", metavar="RUN")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Write it here."
)
@click.option("--name", help="What the card calls it.  [default: the folder's name]")
@click.option(
    "--text",
    "texts",
    multiple=True,
    metavar="FILE",
    help="Held-out text to compare on; may be repeated.  [default: stories of the embedded world]",
)
@click.option(
    "--results",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="JSON of our commands on this model; may be repeated.",
)
@click.option(
    "--corpus",
    "manifest",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The corpus.json of what it was trained on: sources, licences, counts.",
)
@click.option(
    "--remark",
    "remarks",
    multiple=True,
    metavar="TEXT",
    help="What readers of the results should know; the card shows it above them, below what was remarked before. May "
    "be repeated; '' takes away what stands before it.",
)
@click.option("--licence", default=LICENCE, show_default=True, help="Of the weights, as model hubs name it.")
@click.option(
    "--max-rows",
    type=click.IntRange(min=2),
    help=f"Of text to compare on, at most.  [default: {ROWS}]",
)
@click.option("--replace", is_flag=True, help="In place of the packed model that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
@click.pass_context
def command(
    ctx: click.Context,
    source: str,
    out: Path,
    name: str | None,
    texts: tuple[str, ...],
    results: tuple[Path, ...],
    manifest: Path | None,
    remarks: tuple[str, ...],
    licence: str,
    max_rows: int | None,
    replace: bool,
    as_json: bool,
) -> None:
    """Pack a RUN's best checkpoint, or a model's folder, with float16 weights, training log and model card.

    It is the checkpoint that every command takes: the best on the RUN's own held-out text, else the last. Another one
    is RUN/checkpoints/NAME. The packed model is loaded again and compared with the original on hidden words.
    """
    with progress("packing") as report:
        found = pack(
            source,
            out,
            name=name,
            texts=texts,
            results=results,
            manifest=manifest,
            licence=licence,
            remarks=remarks,
            most_rows=max_rows,
            replace=replace,
            report=report,
        )
    if as_json:
        print_json(found.as_dict())
    else:
        show(found, console())
    ctx.exit(0 if found.is_faithful else 1)


def show(found: Packed, screen: Console) -> None:
    made = table(f"{found.name}: {found.bytes / 1e6:.2f} MB", "file", "bytes")
    for name, size in found.files.items():
        made.add_row(name, f"{size:,}")
    screen.print(made)
    same = found.storage["same_first_guess"]["value"]
    screen.print(f"largest relative error of a weight: {found.storage['largest_relative_error']:.2e}")
    verdict = "[green]✓[/]" if found.is_faithful else f"[red]✗[/] {percent(WANTED_AGREEMENT)} wanted,"
    screen.print(
        f"same first guess as the original{', when it was first packed' if found.compared_before else ''}: "
        f"{verdict} {percent(same, 2)} of {found.storage['positions']:,} hidden words"
    )
    screen.print(
        f"loss there: {found.storage['loss_before']:.4f} before, {found.storage['loss_after']:.4f} after"
    )
    if found.replaced:
        screen.print(f"in the place of older results: {escape(', '.join(found.replaced))}", soft_wrap=True)
    screen.print(f"\n[green]✓[/] {escape(str(found.folder))}", soft_wrap=True)
