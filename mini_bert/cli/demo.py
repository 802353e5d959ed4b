"""`mini-bert demo`: a small model learns to read stories in a minute."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log
from pathlib import Path
from statistics import fmean
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from mini_bert.cli.lesson import (
    STORIES,
    Budget,
    Corpus,
    Moment,
    Score,
    T,
    examine,
    examine_frequency,
    masked_words,
    new_model,
    tell,
    train,
)
from mini_bert.cli.predictions import Guess, guesses
from mini_bert.cli.progress import progress
from mini_bert.cli.screen import console, print_json, table
from mini_bert.cli.threads import one_blas_thread
from mini_bert.cli.units import percent
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.special import MASK_ID
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

TOP = 3
RECENT = 50
BARS = "▁▂▃▄▅▆▇█"

EPILOG = """\b
Examples:
  mini-bert demo
  mini-bert demo --minutes 0.2
  mini-bert demo --steps 500 --seed 1 --json
  mini-bert demo --save storyteller
"""


@dataclass(frozen=True)
class Standing:
    """What the model can do: its score in the exam, and its guesses for each cloze."""

    score: Score
    fills: list[list[Guess]]


@dataclass(frozen=True)
class Outcome:
    """The whole demo, to be told or written as JSON."""

    corpus: Corpus
    before: Standing
    after: Standing
    moments: list[Moment]


@click.command(epilog=EPILOG)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="How long to train.",
)
@click.option("--steps", type=click.IntRange(min=1), help="How many steps instead: the same each time.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draws everything.")
@click.option("--save", "folder", type=click.Path(path_type=Path), help="Write the trained model here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of the story.")
def command(minutes: float, steps: int | None, seed: int, folder: Path | None, as_json: bool) -> None:
    """Train a small model for a minute and show what it learned.

    It reads stories of a small world, in which some words are hidden, and learns to say which. It is examined
    on stories it has never read.
    """
    if not isfinite(minutes):
        raise ValueError(f"--minutes {minutes}: choose a finite number of minutes")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    screen = console(quiet=as_json)
    with one_blas_thread():
        with progress("reading stories") as report:
            corpus = tell(seed, report)
        model = new_model(corpus, seed)
        introduce(model, corpus, screen)
        outcome = lesson(model, corpus, Budget(60 * minutes, steps), seed)
    if as_json:
        print_json(as_dict(outcome, seed))
    else:
        show(outcome, folder, screen)
    if folder:
        model.save(folder)
        outcome.corpus.tokenizer.save(folder)


def lesson(model: MiniBERT, corpus: Corpus, budget: Budget, seed: int) -> Outcome:
    """Examine, train, examine again."""
    before = standing(model, corpus)
    moments: list[Moment] = []
    with progress("training") as report:
        for moment in train(model, corpus, budget, seed):
            moments.append(moment)
            report(moment.spent, note(moments[-RECENT:]))
    return Outcome(corpus, before, standing(model, corpus), moments)


def standing(model: MiniBERT, corpus: Corpus) -> Standing:
    fills = [fill(model, corpus.tokenizer, text) for text, _ in corpus.clozes]
    return Standing(examine(model, corpus.exam), fills)


def fill(model: MiniBERT, tokenizer: WordPieceTokenizer, text: str) -> list[Guess]:
    """The best guesses for the [MASK] in a text."""
    ids = tokenizer.encode(text)
    logits, _ = model.forward([ids])
    return guesses(logits[0, ids.index(MASK_ID)], tokenizer, TOP)


def note(recent: list[Moment]) -> str:
    """How the training goes, by the last steps."""
    loss, accuracy = fmean(m.loss for m in recent), fmean(m.accuracy for m in recent)
    return f"loss {loss:.2f}  accuracy {percent(accuracy, 0)}  {pace(recent[-1]):,.0f} tokens/s"


def pace(moment: Moment) -> float:
    """Tokens a second."""
    return moment.tokens / moment.seconds


def introduce(model: MiniBERT, corpus: Corpus, screen: Console) -> None:
    screen.print(
        f"[bold]{model}[/]\n\nIts weights are random. It will read {STORIES:,} stories like this one:\n"
    )
    screen.print(Padding(f"[italic]{escape(corpus.sample)}[/]", (0, 4)))
    screen.print(
        f"\nIn every {T} tokens {masked_words()} words are hidden, and it learns to say which they are.\n"
    )


def show(outcome: Outcome, folder: Path | None, screen: Console) -> None:
    last = outcome.moments[-1]
    steps = f"{last.step:,} step{'s' if last.step > 1 else ''}"
    screen.print(f"Trained {steps} in {last.seconds:.0f} s, {pace(last):,.0f} tokens a second.")
    screen.print(f"{loss_curve([moment.loss for moment in outcome.moments])}\n")
    screen.print(cloze_table(outcome))
    screen.print(exam_table(outcome))
    screen.print(next_steps(folder))


def loss_curve(losses: list[float], width: int = 40) -> str:
    """loss 6.24 █▅▂▁ 0.61: each bar the mean of a stretch of steps, as a logarithm"""
    stretch = max(1, len(losses) // width)
    means = [fmean(losses[i : i + stretch]) for i in range(0, len(losses) - stretch + 1, stretch)]
    low, high = log(min(means)), log(max(means))
    steps = (len(BARS) - 1) / (high - low) if high > low else 0
    bars = "".join(BARS[round(steps * (log(mean) - low))] for mean in means)
    return f"loss {losses[0]:.2f} [cyan]{bars}[/] {means[-1]:.2f}"


def cloze_table(outcome: Outcome) -> Table:
    made = table("Sentences it has never read: what is the hidden word?", "text", "before", "after", "")
    for column in made.columns[1:]:
        column.justify = "left"
    for (text, answer), before, after in zip(
        outcome.corpus.clozes, outcome.before.fills, outcome.after.fills, strict=True
    ):
        found = after[0].word == answer
        made.add_row(
            escape(text),
            fills(before, answer),
            fills(after, answer),
            "[green]✓[/]" if found else f"[red]✗[/] {answer}",
        )
        made.add_section()
    return made


def fills(found: list[Guess], answer: str) -> str:
    """A line for each guess, the right one in green."""
    width = max(len(guess.word) for guess in found)
    lines = (f"{word:<{width}} {percent(probability, 0):>5}" for word, probability in found)
    return "\n".join(
        f"[green]{escape(line)}[/]" if guess.word == answer else escape(line)
        for guess, line in zip(found, lines, strict=True)
    )


def exam_table(outcome: Outcome) -> Table:
    corpus = outcome.corpus
    title = f"Exam: {corpus.exam_words:,} words hidden in {corpus.exam_stories:,} stories it has never read"
    made = table(title, "", "right", "perplexity")
    word, by_frequency = examine_frequency(corpus)
    for name, score in (
        (f'the most frequent word, "{word}", always', by_frequency),
        ("before training", outcome.before.score),
        ("after training", outcome.after.score),
    ):
        made.add_row(name, percent(score.accuracy), f"{score.perplexity:.1f}")
    made.rows[-1].style = "bold"
    return made


def next_steps(folder: Path | None) -> str:
    saving = "" if folder else "  mini-bert demo --save storyteller\n"
    return (
        f"Try next:\n{saving}"
        f'  mini-bert trace "the dog is in the \\[MASK] ." --model {folder or "storyteller"}\n'
        "  mini-bert gradcheck    [dim]prove every gradient of this model[/]\n"
        "  mini-bert info         [dim]what the full Mini-BERT is made of, and what it costs[/]"
    )


def as_dict(outcome: Outcome, seed: int) -> dict[str, Any]:
    last = outcome.moments[-1]
    before, after = outcome.before, outcome.after
    word, by_frequency = examine_frequency(outcome.corpus)
    return {
        "seed": seed,
        "steps": last.step,
        "seconds": last.seconds,
        "tokens_per_second": pace(last),
        "loss": {"first": outcome.moments[0].loss, "last": last.loss},
        "exam": {
            "stories": outcome.corpus.exam_stories,
            "words": outcome.corpus.exam_words,
            "most_frequent_word": {"word": word, **by_frequency._asdict()},
            "before": before.score._asdict(),
            "after": after.score._asdict(),
        },
        "clozes": [
            {
                "text": text,
                "answer": answer,
                "before": [guess._asdict() for guess in old],
                "after": [guess._asdict() for guess in new],
            }
            for (text, answer), old, new in zip(outcome.corpus.clozes, before.fills, after.fills, strict=True)
        ],
    }
