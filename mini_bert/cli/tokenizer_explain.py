"""`mini-bert tokenizer explain`: a vocabulary being learned, one merge after the other; or the cuts of a Unigram."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from itertools import islice

import click
from rich.markup import escape

from mini_bert.cli.screen import console, print_json, table
from mini_bert.data.sources import UNITS, Unit
from mini_bert.errors import counted, unknown
from mini_bert.tokenizers.merging import CRITERIA, Merge
from mini_bert.tokenizers.normalize import Normalizer
from mini_bert.tokenizers.training import alphabet_of, explain_merges
from mini_bert.tokenizers.wordpiece import word_counts

TEXT = "hen hen hen hen hen hens ten ten ten ten quiz quiz"
KINDS = ("wordpiece", "unigram")
CRITERION, MERGES = "frequency", 20
WORDS_SHOWN = 12
EXAMPLE = "for example"

EPILOG = """\b
Examples:
  mini-bert tokenizer explain
  mini-bert tokenizer explain --criterion likelihood
  mini-bert tokenizer explain --text "low lower lowest new newer newest wide wider widest"
  mini-bert tokenizer explain my-tales.txt --merges 40
  mini-bert tokenizer explain world:500 --kind unigram --word unhappy --word walking --draws 1000
"""


@click.command(epilog=EPILOG)
@click.argument("sources", nargs=-1)
@click.option("--text", help="A text to learn from, in place of SOURCES.")
@click.option(
    "--kind", default="wordpiece", show_default=True, metavar=f"[{'|'.join(KINDS)}]", help="Which pieces."
)
@click.option(
    "--criterion",
    metavar=f"[{'|'.join(CRITERIA)}]",
    help=f"WordPiece: what makes a pair the best one.  [default: {CRITERION}]",
)
@click.option(
    "--merges", type=click.IntRange(min=1), help=f"WordPiece: at most so many.  [default: {MERGES}]"
)
@click.option(
    "--min-frequency",
    type=click.IntRange(min=1),
    help="WordPiece: merge no pair that is rarer.  [default: 1]",
)
@click.option("--cased", is_flag=True, help="WordPiece: keep capitals and accents.")
@click.option(
    "--word", "words", multiple=True, help="Unigram: a word to cut; repeatable.  [default: the most frequent]"
)
@click.option("--vocab-size", type=click.IntRange(min=6), help="Unigram: so many pieces.  [default: 8192]")
@click.option("--draws", type=click.IntRange(min=1), help="Unigram: also draw so many cuts of each word.")
@click.option(
    "--unit", default="paragraph", show_default=True, metavar=f"[{'|'.join(UNITS)}]", help="A document."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the table.")
def command(
    sources: tuple[str, ...],
    text: str | None,
    kind: str,
    criterion: str | None,
    merges: int | None,
    min_frequency: int | None,
    cased: bool,
    words: tuple[str, ...],
    vocab_size: int | None,
    draws: int | None,
    unit: Unit,
    as_json: bool,
) -> None:
    """Watch WordPiece learn, merge by merge; or see in how many ways Unigram may cut a word.

    Words begin as single letters. Again and again the best pair of neighbours becomes one piece: the most
    frequent pair, or the one that is rarely seen apart (likelihood). Unigram keeps the pieces that make the text
    most probable, and cuts a word into those with the greatest product of probabilities. SOURCES are files,
    folders, globs, - for standard input, world or python-docs.
    """
    if sources and text is not None:
        raise ValueError("--text and SOURCES are two texts; give one of them")
    if kind not in KINDS:
        raise ValueError(unknown("kind", kind, list(KINDS)))
    wordpiece = {
        "--criterion": criterion,
        "--merges": merges,
        "--min-frequency": min_frequency,
        "--cased": cased or None,
    }
    unigram = {"--word": words or None, "--vocab-size": vocab_size, "--draws": draws}
    for option, value in (unigram if kind == "wordpiece" else wordpiece).items():
        if value is not None:
            raise ValueError(f"{option} means nothing to --kind {kind}; leave it out")
    texts = read(sources, unit) if sources else [TEXT if text is None else text]
    if kind == "unigram":
        from mini_bert.cli.tokenizer_cuts import explain_cuts

        explain_cuts(texts, words, vocab_size or 8192, draws or 0, as_json)
    else:
        counts = word_counts(texts, Normalizer(lowercase=not cased))
        explain_learning(counts, criterion or CRITERION, merges or MERGES, min_frequency or 1, as_json)


def read(sources: tuple[str, ...], unit: Unit = "paragraph") -> Iterable[str]:
    from mini_bert.data.corpus import corpus

    return corpus(*sources, unit=unit)


def explain_learning(
    counts: Counter[str], criterion: str, most: int, min_frequency: int, as_json: bool
) -> None:
    if not counts:
        raise ValueError(
            'there is no word in the text; try mini-bert tokenizer explain --text "hen ten hens"'
        )
    alphabet = alphabet_of(counts)
    steps = explain_merges(counts, sys.maxsize, criterion, min_frequency=min_frequency, limit_alphabet=None)
    shown = list(islice(steps, most))
    if as_json:
        print_json(
            {
                "criterion": criterion,
                "words": dict(counts.most_common()),
                "alphabet": alphabet,
                "merges": [step._asdict() for step in shown],
            }
        )
    else:
        show(counts, alphabet, shown, criterion)
        if len(shown) < most:
            console().print(end_of_merging(shown, min_frequency))


def show(counts: Counter[str], alphabet: list[str], steps: list[Merge], criterion: str) -> None:
    screen = console()
    words = ", ".join(f"{word} ×{count:,}" for word, count in counts.most_common(WORDS_SHOWN))
    more = f", and {len(counts) - WORDS_SHOWN:,} more" if len(counts) > WORDS_SHOWN else ""
    screen.print(f"[bold]Words[/]     {escape(words)}{more}", soft_wrap=True)
    screen.print(f"[bold]Alphabet[/]  {escape(' '.join(alphabet))}", soft_wrap=True)
    screen.print()
    formula = "freq(ab)" if criterion == "frequency" else "freq(ab) / (freq(a) · freq(b))"
    title = f"Merges by {criterion}: score = {formula}"
    made = table(title, "piece", "= a + b", "score", EXAMPLE, shortened=[EXAMPLE])
    made.columns[1].justify = "left"
    for step in steps:
        made.add_row(
            f"[bold]{escape(step.piece)}[/]",
            escape(f"{step.left} + {step.right}"),
            score(step, criterion),
            escape(", ".join(" ".join(word) for word in step.examples)),
        )
    screen.print(made)


def end_of_merging(steps: list[Merge], min_frequency: int) -> str:
    why = (
        "every word is one piece: nothing is left to merge."
        if min_frequency == 1
        else f"no pair is left that is seen {min_frequency} times."
    )
    return f"After {counted(len(steps), 'merge')} {why}"


def score(step: Merge, criterion: str) -> str:
    if criterion == "frequency":
        return f"{step.pair_count:,}"
    return f"{step.pair_count:,} / ({step.left_count:,} · {step.right_count:,}) = {step.score:.3g}"
