"""`mini-bert tokenizer train`: learn a vocabulary and save it."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable
from functools import partial
from inspect import signature
from subprocess import list2cmdline
from time import perf_counter
from typing import Any

import click
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json
from mini_bert.cli.tokenizer_place import checked_place
from mini_bert.data.corpus import corpus
from mini_bert.data.sources import UNITS, Unit
from mini_bert.errors import counted, unknown
from mini_bert.tokenizers.files import class_of
from mini_bert.tokenizers.merging import CRITERIA
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.training import LIMIT_ALPHABET
from mini_bert.tokenizers.unigram_training import COVERAGE

KINDS = {"wordpiece": "WordPiece", "bpe": "BPE", "unigram": "Unigram"}
PIECES_SHOWN = 12

EPILOG = """\b
Examples:
  mini-bert tokenizer train world --out my-vocabulary
  mini-bert tokenizer train my-tales/ news-*.jsonl.gz --vocab-size 16000 --out big
  mini-bert tokenizer train tales.txt --criterion likelihood --min-frequency 5 --out other
  mini-bert tokenizer train tales.txt --kind bpe --out bytes
  mini-bert tokenizer train news.jsonl --text-field body --out news
"""


@click.command(epilog=EPILOG)
@click.argument("sources", nargs=-1, required=True)
@click.option("--out", type=click.Path(), required=True, help="Folder, or a .json or .txt file.")
@click.option(
    "--kind", default="wordpiece", show_default=True, metavar=f"[{'|'.join(KINDS)}]", help="Which pieces."
)
@click.option("--vocab-size", type=click.IntRange(min=6), default=8192, show_default=True)
@click.option(
    "--criterion",
    metavar=f"[{'|'.join(CRITERIA)}]",
    help="WordPiece: what makes a pair the best one.  [default: frequency]",
)
@click.option(
    "--min-frequency", type=click.IntRange(min=1), help="Merge no pair that is rarer.  [default: 1]"
)
@click.option(
    "--special-token", "special_tokens", multiple=True, help="A further token that is never cut; repeatable."
)
@click.option(
    "--limit-alphabet",
    type=click.IntRange(min=1),
    help=f"WordPiece: keep so many characters, the most frequent.  [default: {LIMIT_ALPHABET}]",
)
@click.option(
    "--coverage",
    type=click.FloatRange(0, 1, min_open=True),
    help=f"Unigram: keep the most frequent characters up to this share of the text.  [default: {COVERAGE}]",
)
@click.option("--cased", is_flag=True, help="WordPiece: keep capitals and accents.")
@click.option(
    "--unit", default="paragraph", show_default=True, metavar=f"[{'|'.join(UNITS)}]", help="A document."
)
@click.option("--text-field", default="text", show_default=True, help="Where the text is in JSON lines.")
@click.option("--replace", is_flag=True, help="In place of the vocabulary that is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the summary.")
def command(
    sources: tuple[str, ...],
    out: str,
    kind: str,
    vocab_size: int,
    criterion: str | None,
    min_frequency: int | None,
    special_tokens: tuple[str, ...],
    limit_alphabet: int | None,
    coverage: float | None,
    cased: bool,
    unit: Unit,
    text_field: str,
    replace: bool,
    as_json: bool,
) -> None:
    """Learn a vocabulary from SOURCES: files, folders, globs, - for standard input, world, python-docs."""
    options = {
        "criterion": criterion,
        "min_frequency": min_frequency,
        "limit_alphabet": limit_alphabet,
        "coverage": coverage,
        "lowercase": False if cased else None,
    }
    train = trainer(kind, {name: value for name, value in options.items() if value is not None})
    text = corpus(*sources, unit=unit, text_field=text_field)
    place = checked_place(out, KINDS[kind], sources, replace)
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught, progress("Learning") as report:
        warnings.simplefilter("always", UserWarning)
        tokenizer: Tokenizer = train(text, vocab_size, special_tokens=special_tokens, report=report)
        saved = tokenizer.save(place)
    summary = {
        "kind": kind,
        "vocab_size": tokenizer.vocab_size,
        "asked_for": vocab_size,
        "saved": str(saved),
        "seconds": perf_counter() - start,
        "replaced_bytes": text.replaced,
        "warnings": [str(warning.message) for warning in caught],
    }
    if as_json:
        print_json(summary)
    else:
        show(tokenizer, summary)


def trainer(kind: str, options: dict[str, Any]) -> Callable[..., Tokenizer]:
    """The training of a kind with these options, each of which must mean something to it."""
    if kind not in KINDS:
        raise ValueError(unknown("kind", kind, list(KINDS)))
    train = class_of(KINDS[kind]).train
    for name in options.keys() - signature(train).parameters.keys():
        flag = "--cased" if name == "lowercase" else f"--{name.replace('_', '-')}"
        raise ValueError(f"{flag} means nothing to --kind {kind}; leave it out")
    return partial(train, **options)


def show(tokenizer: Tokenizer, summary: dict[str, Any]) -> None:
    screen = console()
    for warning in summary["warnings"]:
        screen.print(f"[yellow]note:[/] {escape(warning)}", soft_wrap=True)
    if summary["replaced_bytes"]:
        screen.print(
            f"[yellow]note:[/] {counted(summary['replaced_bytes'], 'byte')} not UTF-8, replaced by U+FFFD"
        )
    longest = sorted(tokenizer.token_to_id, key=lambda token: (-len(token), token))[:PIECES_SHOWN]
    latest = tokenizer.id_to_token[-PIECES_SHOWN:]
    screen.print(f"[bold]{counted(summary['vocab_size'], 'piece')}[/] learned in {summary['seconds']:.1f} s")
    screen.print(f"  longest  {escape(' '.join(longest))}", soft_wrap=True)
    screen.print(f"  latest   {escape(' '.join(latest))}", soft_wrap=True)
    place = summary["saved"]
    screen.print(f"[bold]Saved[/] to {escape(place)}", soft_wrap=True)
    screen.print(
        f'  mini-bert tokenizer encode "your text" --tokenizer {escape(quoted(place))}', soft_wrap=True
    )


def quoted(place: str) -> str:
    """A path as it is typed into a shell."""
    return list2cmdline([place]) if os.name == "nt" else shlex.quote(place)
