"""`mini-bert data prepare`: text becomes a cache of tokens that training maps into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from click.core import ParameterSource
from rich.console import Console
from rich.markup import escape

from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.units import in_bytes, percent
from mini_bert.data.corpus import corpus, is_a_name
from mini_bert.data.sources import UNITS, Unit
from mini_bert.data.split import HELD_OUT, split
from mini_bert.data.standard_input import kept_input
from mini_bert.data.token_cache import TokenCache, tokenized
from mini_bert.data.vocabularies import learned_vocabulary
from mini_bert.files import cache_folder
from mini_bert.reports import part
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer

STDIN = "-"

EPILOG = """\b
Examples:
  mini-bert data prepare my.txt
  mini-bert data prepare books/ "news-*.jsonl.gz" --unit line
  mini-bert data prepare world:20000 python-docs --vocab-size 4096
  mini-bert data prepare wikitext-2 --tokenizer my-vocabulary --json
  mini-bert data prepare posts.jsonl --text-field body
  cat notes.md | mini-bert data prepare -

What was prepared once is found again at once. MINI_BERT_CACHE names another
folder to keep it in.
"""


@dataclass(frozen=True)
class Preparation:
    """What came of it. `wanted` is the share of documents to hold out, `held_out` how many are.

    `kept_input` is where standard input is kept, if the text came from there; `can_be_cut` says whether --unit line
    may make more documents of the text.
    """

    cache: TokenCache
    tokenizer: Path
    unknown: float | None
    wanted: float
    held_out: int
    held_out_tokens: int
    kept_input: Path | None
    can_be_cut: bool

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.cache.contents.files.values())


@click.command(epilog=EPILOG)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--tokenizer",
    "tokenizer_path",
    type=click.Path(path_type=Path),
    help="The tokenizer's folder or file; without it, a vocabulary is learned from the text first.",
)
@click.option(
    "--unit", type=click.Choice(UNITS), default="paragraph", show_default=True, help="What a document is."
)
@click.option(
    "--vocab-size",
    type=click.IntRange(min=6),
    default=8192,
    show_default=True,
    help="Pieces to learn, at most; not with --tokenizer.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, max_open=True),
    default=HELD_OUT,
    show_default=True,
    help="The share of documents to keep from training.",
)
@click.option(
    "--text-field",
    default="text",
    show_default=True,
    metavar="NAME",
    help="Where the text is in a line of a .jsonl file.",
)
@click.option("--strict", is_flag=True, help="Refuse text that is not UTF-8, in place of mending it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
@click.pass_context
def command(
    ctx: click.Context,
    sources: tuple[str, ...],
    tokenizer_path: Path | None,
    unit: Unit,
    vocab_size: int,
    held_out: float,
    text_field: str,
    strict: bool,
    as_json: bool,
) -> None:
    """Turn text into tokens, ready to train on.

    A SOURCE is world, python-docs, a downloaded set, a file, a folder, a glob, or - for standard input, which is kept
    as a file. Files are .txt or .jsonl, plain or .gz.
    """
    chosen = ctx.get_parameter_source("vocab_size") is not ParameterSource.DEFAULT
    if tokenizer_path and chosen:
        raise ValueError(
            "--vocab-size is for learning a vocabulary, and --tokenizer has one; give one of them"
        )
    kept = kept_input(cache_folder()) if STDIN in sources else None
    text = corpus(
        *(kept if kept and source == STDIN else source for source in sources),
        unit=unit,
        text_field=text_field,
        encoding_errors="strict" if strict else "replace",
    )
    with progress("preparing") as report:
        if tokenizer_path:
            place = tokenizer_path.expanduser()
            tokenizer = load_tokenizer(place)
        else:
            tokenizer, place = learned_vocabulary(text, vocab_size, part(report, 0.0, 0.5))
            report = part(report, 0.5, 1.0)
        cache = tokenized(text, tokenizer, report=report)
    can_be_cut = unit != "line" and not all(map(is_a_name, sources))
    made = preparation(cache, tokenizer, place, held_out, kept, can_be_cut)
    if as_json:
        print_json(as_dict(made))
    else:
        show(made, console())


def preparation(
    cache: TokenCache,
    tokenizer: Tokenizer,
    place: Path,
    held_out: float,
    kept: Path | None,
    can_be_cut: bool,
) -> Preparation:
    enough = round(held_out * len(cache)) > 0
    kept_back = split(cache, held_out).held_out if enough else np.arange(0)
    return Preparation(
        cache,
        place,
        unknown=unknown_share(cache, tokenizer),
        wanted=held_out,
        held_out=len(kept_back),
        held_out_tokens=int(cache.lengths[kept_back].sum()),
        kept_input=kept,
        can_be_cut=can_be_cut,
    )


def unknown_share(cache: TokenCache, tokenizer: Tokenizer) -> float | None:
    """The share of tokens that stand for what the vocabulary cannot spell; None if it can spell everything."""
    index = tokenizer.unk_id
    if index is None:
        return None
    return sum(int(np.count_nonzero(block == index)) for block in cache.blocks()) / cache.contents.tokens


def show(made: Preparation, screen: Console) -> None:
    contents = made.cache.contents
    screen.print(f"[bold]{escape(contents.source_name)}[/]")
    rows = table("", "", "")
    rows.title, rows.show_header = None, False
    rows.add_row("documents", f"{contents.documents:,}")
    rows.add_row("sentences", f"{contents.sentences:,}")
    rows.add_row("words", f"{contents.words:,}")
    rows.add_row("tokens", f"{contents.tokens:,}")
    rows.add_row("tokens per word", f"{tokens_per_word(made):.2f}")
    rows.add_row("pieces in the vocabulary", f"{contents.vocab_size:,}")
    if made.unknown is not None:
        rows.add_row("unknown, of the tokens", percent(made.unknown, 3))
    rows.add_row("held out: documents", f"{made.held_out:,}")
    rows.add_row("held out: tokens", f"{made.held_out_tokens:,}")
    rows.add_row("on the disk", in_bytes(made.bytes))
    screen.print(rows)
    for note in notes(made):
        screen.print(note)
    screen.print(f"tokens      {escape(str(made.cache.folder))}", soft_wrap=True)
    screen.print(f"tokenizer   {escape(str(made.tokenizer))}", soft_wrap=True)
    if made.kept_input:
        screen.print(f"your input  {escape(str(made.kept_input))}", soft_wrap=True)


def notes(made: Preparation) -> Iterator[str]:
    """What went otherwise than one may expect."""
    contents = made.cache.contents
    if contents.replaced_bytes:
        yield f"[yellow]Bytes that were not UTF-8: {contents.replaced_bytes:,}[/], now U+FFFD; --strict says where."
    if contents.empty_documents:
        yield f"Documents without any token, left out: {contents.empty_documents:,}."
    if made.wanted and not made.held_out:
        share = percent(made.wanted, 0)
        more = "try --unit line" if made.can_be_cut else "add text"
        yield f"Too few documents to hold out {share} of them; {more} or a greater --held-out."


def tokens_per_word(made: Preparation) -> float:
    return made.cache.contents.tokens / max(1, made.cache.contents.words)


def as_dict(made: Preparation) -> dict[str, Any]:
    contents = made.cache.contents
    return {
        "source": contents.source_name,
        "documents": contents.documents,
        "empty_documents": contents.empty_documents,
        "sentences": contents.sentences,
        "words": contents.words,
        "tokens": contents.tokens,
        "tokens_per_word": tokens_per_word(made),
        "vocab_size": contents.vocab_size,
        "unknown_share": made.unknown,
        "replaced_bytes": contents.replaced_bytes,
        "held_out": {"documents": made.held_out, "tokens": made.held_out_tokens},
        "bytes": made.bytes,
        "folder": str(made.cache.folder),
        "tokenizer": str(made.tokenizer),
        "kept_input": str(made.kept_input) if made.kept_input else None,
    }
