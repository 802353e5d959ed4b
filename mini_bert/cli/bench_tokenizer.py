"""`mini-bert bench tokenizer`: encoding and training on one core, in one run that alternates the contestants."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.markup import escape

from mini_bert.cli.judges import judge
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.stopwatch import race, ratio
from mini_bert.data.corpus import corpus
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

EPILOG = """\b
Examples:
  mini-bert bench tokenizer
  mini-bert bench tokenizer wikipedia.txt.gz --mb 20 --rounds 5
"""

Contestants = dict[str, Callable[[], object]]


@click.command(epilog=EPILOG)
@click.argument("sources", nargs=-1)
@click.option("--mb", type=click.FloatRange(min=0.1), default=20.0, show_default=True, help="How much text.")
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--vocab-size", type=click.IntRange(min=1000), default=8192, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the tables.")
def command(sources: tuple[str, ...], mb: float, rounds: int, vocab_size: int, as_json: bool) -> None:
    """Time WordPiece on SOURCES (else the embedded world): encoding a text, and learning from it.

    Ours and HuggingFace's take turns on one and the same core. Encoding is done with the vocabulary just
    learned, and memories of words seen before are emptied before each turn.
    """
    texts = first(corpus(*sources) if sources else corpus("world:100000"), mb)
    size = sum(len(text.encode()) for text in texts) / 1e6
    others = judge("tokenizer")
    learned = WordPieceTokenizer.train(texts, vocab_size)
    training: Contestants = {"Mini-BERT train": lambda: WordPieceTokenizer.train(texts, vocab_size)}
    encoding: Contestants = {"Mini-BERT encode_batch": lambda: fresh(learned).encode_batch(texts)}
    if not isinstance(others, str):
        training |= others.trainers(texts, vocab_size)
        with TemporaryDirectory() as folder:
            encoding |= others.encoders(learned.save(Path(folder) / "tokenizer.json"), texts)
    results = {}
    for kind, title, contestants in (("encode", "Encoding", encoding), ("train", "Learning", training)):
        with progress(title) as report, one_core():
            results[kind] = race(contestants, rounds, report)
    summary: dict[str, Any] = {"megabytes": size, "texts": len(texts), "vocab_size": learned.vocab_size}
    summary |= {kind: standing(seconds, size) for kind, seconds in results.items()}
    if as_json:
        print_json({**summary, "note": others if isinstance(others, str) else None})
        return
    screen = console()
    for kind, title in (("encode", "Encoding"), ("train", "Learning")):
        made = table(
            f"{title} {size:.1f} MB on one core, {rounds} rounds", "", "seconds", "MB/s", "× our time"
        )
        for name, row in summary[kind].items():
            made.add_row(
                name, f"{row['seconds']:.2f}", f"{row['mb_per_second']:.2f}", f"{row['times_ours']:.2f}"
            )
        screen.print(made)
    if isinstance(others, str):
        screen.print(f"Ours alone: {escape(others)}.")


@contextmanager
def one_core() -> Iterator[None]:
    """Where the system allows it, keep to a single core in here."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def first(texts: Iterable[str], megabytes: float) -> list[str]:
    """The first texts that make up so many megabytes, or all there are."""
    found, size = [], 0.0
    for text in texts:
        found.append(text)
        size += len(text.encode()) / 1e6
        if size >= megabytes:
            break
    return found


def fresh(tokenizer: WordPieceTokenizer) -> WordPieceTokenizer:
    """The same tokenizer with nothing remembered."""
    return WordPieceTokenizer(tokenizer.id_to_token, normalizer=tokenizer.normalizer)


def standing(seconds: dict[str, list[float]], size: float) -> dict[str, dict[str, float]]:
    """The medians; the first contestant is ours."""
    ours = next(iter(seconds.values()))
    return {
        name: {
            "seconds": median(spent),
            "mb_per_second": size / median(spent),
            "times_ours": ratio(spent, ours),
        }
        for name, spent in seconds.items()
    }
