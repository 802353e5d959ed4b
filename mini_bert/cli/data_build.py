"""`mini-bert data build`: a corpus to pretrain on, from public text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.data.building.building import build
from mini_bert.data.building.manifest import NAME, Manifest
from mini_bert.data.building.sources import source_named

EPILOG = """\b
Examples:
  mini-bert data build corpus --source tatoeba=eng_sentences.tsv.bz2
  mini-bert data build corpus \\
      --source tatoeba=eng_sentences.tsv.bz2 --source books=gutenberg/ \\
      --source tales=FairytaleQAData/ --source stories=pb-source/en/ \\
      --source stories=asp-source/en/ \\
      --source wikipedia=articles.jsonl.gz --limit wikipedia=31000
  mini-bert data build corpus --source books=gutenberg/ --held-out books=0.1

\b
A source, what it may be, and the share of its documents held out:
  tatoeba     .tsv of sentences (tatoeba.org, downloads)            0.01
  books       Project Gutenberg's plain text, a folder or a file    0.03
  tales       folder of FairytaleQA's tables                        0.04
  stories     folder of Pratham Books' and African Storybook's .md  0.04
  wikipedia   lines of JSON with a text each (WikiExtractor --json) 0.02

Each may be one .txt of plain text as well, with a blank line between
documents (for tatoeba a sentence on each line); files may be .gz or .bz2.
"""

Value = TypeVar("Value")


@click.command(epilog=EPILOG)
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--source",
    "sources",
    multiple=True,
    required=True,
    metavar="NAME=PATH",
    help="A source, and where its text lies; again for more.",
)
@click.option(
    "--held-out",
    "shares",
    multiple=True,
    metavar="NAME=SHARE",
    help="The share of its documents to keep from training.",
)
@click.option(
    "--limit", "limits", multiple=True, metavar="NAME=COUNT", help="The most documents to take of it."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(
    out: Path, sources: tuple[str, ...], shares: tuple[str, ...], limits: tuple[str, ...], as_json: bool
) -> None:
    """Build a corpus in the folder OUT: text to train on, and text held out.

    Documents that are there again in their source are left out, and a hash of their words decides which are held out,
    so that the same text always gives the same corpus. What is held out of one source is in no training text of
    another. OUT/corpus.json tells sources, licences, counts and checksums.
    docs/pretraining.md tells where to get the text.
    """
    places: dict[str, list[Path]] = {}
    for name, path in pairs(sources, "--source", Path):
        places.setdefault(name, []).append(path.expanduser())
    with progress("building") as report:
        manifest = build(
            out.expanduser(),
            places,
            once("--held-out", pairs(shares, "--held-out", float)),
            once("--limit", pairs(limits, "--limit", int)),
            report=report,
        )
    if as_json:
        print_json({"folder": str(out), **manifest.as_dict()})
    else:
        show(manifest, out, console())


def pairs(given: tuple[str, ...], option: str, read: Callable[[str], Value]) -> list[tuple[str, Value]]:
    """What options like NAME=VALUE say."""
    found = []
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ValueError(f"{option} {text}: write the name of a source, =, and what belongs to it")
        try:
            found.append((name, read(value)))
        except ValueError:
            raise ValueError(
                f"{option} {text}: {value!r} is not such a number; write one after the ="
            ) from None
    return found


def once(option: str, given: list[tuple[str, Value]]) -> dict[str, Value]:
    """The same, refusing a source that is named twice."""
    names = [name for name, _ in given]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{option}: {repeated} is named more than once; name it once")
    return dict(given)


def show(manifest: Manifest, out: Path, screen: Console) -> None:
    rows = table("", "", "documents", "characters", "copies", "held out", "characters")
    rows.title = None
    for name, part in manifest.parts.items():
        held = part.held_out
        rows.add_row(
            name,
            f"{part.train.documents:,}",
            f"{part.train.characters:,}",
            f"{part.copies:,}",
            f"{held.documents:,}" if held else "-",
            f"{held.characters:,}" if held else "-",
        )
    screen.print(rows)
    for name, part in manifest.parts.items():
        if part.passed_over:
            left = f"{part.passed_over:,} of {part.files:,} files were passed over"
            screen.print(f"{name}: {left}: {source_named(name).passed_over}", soft_wrap=True)
        screen.print(f"[dim]{name}: {part.licence}; {escape(part.attribution)}[/]", soft_wrap=True)
    screen.print(f"\ncorpus     {escape(str(out))}", soft_wrap=True)
    screen.print(f"checksums  {escape(str(out / NAME))}", soft_wrap=True)
    screen.print(
        f'\nTry next:\n  mini-bert tokenizer train "{escape(str(out))}/train/*.txt.gz" --out vocab',
        soft_wrap=True,
    )
