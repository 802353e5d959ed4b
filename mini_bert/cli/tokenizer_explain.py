"""`mini-bert tokenizer explain`: a vocabulary being learned, one merge after the other."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import islice

import click
from rich.markup import escape

from mini_bert.cli.screen import console, print_json, table
from mini_bert.tokenizers.merging import CRITERIA, Merge
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.training import explain_merges
from mini_bert.tokenizers.wordpiece import word_counts

TEXT = "hen hen hen hen hen hens ten ten ten ten quiz quiz"
WORDS_SHOWN = 12

EPILOG = """\b
Examples:
  mini-bert tokenizer explain
  mini-bert tokenizer explain --criterion likelihood
  mini-bert tokenizer explain --text "low lower lowest new newer newest wide wider widest"
  mini-bert tokenizer explain my-tales.txt --merges 40
"""


@click.command(epilog=EPILOG)
@click.argument("sources", nargs=-1)
@click.option("--text", help="A text to learn from, in place of SOURCES.")
@click.option(
    "--criterion",
    default="frequency",
    show_default=True,
    metavar=f"[{'|'.join(CRITERIA)}]",
    help="What makes a pair the best one.",
)
@click.option("--merges", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(sources: tuple[str, ...], text: str | None, criterion: str, merges: int, as_json: bool) -> None:
    """Watch WordPiece learn, merge by merge.

    Words begin as single letters. Again and again the best pair of neighbours becomes one piece: the most
    frequent pair, or the one that is rarely seen apart (likelihood). SOURCES are files, folders, globs, world
    or python-docs.
    """
    if sources and text is not None:
        raise ValueError("--text and SOURCES are two texts; give one of them")
    counts = word_counts(read(sources) if sources else [TEXT if text is None else text], Normalizer())
    if not counts:
        raise ValueError(
            'there is no word in the text; try mini-bert tokenizer explain --text "hen ten hens"'
        )
    alphabet = {symbol for word in counts for symbol in (word[0], *(f"##{char}" for char in word[1:]))}
    steps = list(islice(explain_merges(counts, sys.maxsize, criterion, limit_alphabet=None), merges))
    if as_json:
        print_json(
            {
                "criterion": criterion,
                "words": dict(counts.most_common()),
                "alphabet": sorted(alphabet),
                "merges": [step._asdict() for step in steps],
            }
        )
    else:
        show(counts, sorted(alphabet), steps, criterion, merges)


def read(sources: tuple[str, ...]) -> list[str]:
    from mini_bert.data.corpus import corpus

    return list(corpus(*sources))


def show(counts: Counter[str], alphabet: list[str], steps: list[Merge], criterion: str, most: int) -> None:
    screen = console()
    words = ", ".join(f"{word} ×{count:,}" for word, count in counts.most_common(WORDS_SHOWN))
    more = f", and {len(counts) - WORDS_SHOWN:,} more" if len(counts) > WORDS_SHOWN else ""
    screen.print(f"[bold]Words[/]     {escape(words)}{more}", soft_wrap=True)
    screen.print(f"[bold]Alphabet[/]  {escape(' '.join(alphabet))}", soft_wrap=True)
    screen.print()
    formula = "freq(ab)" if criterion == "frequency" else "freq(ab) / (freq(a) · freq(b))"
    made = table(f"Merges by {criterion}: score = {formula}", "piece", "= a + b", "score", "for example")
    for column in (1, 3):
        made.columns[column].justify = "left"
    for step in steps:
        made.add_row(
            f"[bold]{escape(step.piece)}[/]",
            escape(f"{step.left} + {step.right}"),
            score(step, criterion),
            escape(", ".join(" ".join(word) for word in step.examples)),
        )
    screen.print(made)
    if len(steps) < most:
        screen.print(f"After {len(steps)} merges every word is one piece: nothing is left to merge.")


def score(step: Merge, criterion: str) -> str:
    if criterion == "frequency":
        return f"{step.pair_count:,}"
    return f"{step.pair_count:,} / ({step.left_count:,} · {step.right_count:,}) = {step.score:.3g}"
