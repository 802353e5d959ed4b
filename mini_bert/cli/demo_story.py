"""What the demo tells: the model, the stories, the guesses before and after, the exam."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from mini_bert.cli.screen import table
from mini_bert.cli.units import percent
from mini_bert.errors import counted
from mini_bert.evaluation.clozes import Cloze
from mini_bert.inference.fill_mask import Guess
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.trainer import Trainer
from mini_bert.training.validation import Score

BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Standing:
    """What the model can do: its score in the exam, and its guesses for each cloze."""

    score: Score
    fills: list[list[Guess]]


@dataclass(frozen=True)
class Counted:
    """The same exam for those who only count: the most frequent word, and what stood between two neighbours."""

    word: str
    by_frequency: Score
    by_neighbours: Score


@dataclass(frozen=True)
class Outcome:
    """The whole demo, to be told or written as JSON."""

    trainer: Trainer
    losses: list[float]
    clozes: list[Cloze]
    before: Standing
    after: Standing
    counted: Counted
    report: Path

    @property
    def exam(self) -> MaskedBatch:
        return self.trainer.exams["held_out"]

    @property
    def words(self) -> int:
        return int((self.exam.weights > 0).sum())

    @property
    def lead(self) -> float:
        """How much larger the share is that the model finds than that of counted neighbours."""
        return self.after.score.accuracy - self.counted.by_neighbours.accuracy

    @property
    def pace(self) -> float:
        """Tokens a second."""
        spent = self.trainer.progress.spent
        return spent.tokens / spent.seconds


def introduce(trainer: Trainer, screen: Console) -> None:
    made = trainer.materials
    sample = made.tokenizer.decode(made.cache.document(made.rows.documents[0]).tolist())
    screen.print(f"[bold]{trainer.model}[/]\n")
    screen.print(
        f"Its weights are random. It will read {counted(len(made.rows.documents), 'text')} like this one:\n"
    )
    screen.print(Padding(f"[italic]{escape(shortened(sample))}[/]", (0, 4)))
    screen.print(
        f"\nIn every {made.rows.T} tokens {trainer.masked_words(0.0)} are hidden, and it learns to say which they"
        " are.\n"
    )


def shortened(text: str, most: int = 600) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"


def show(outcome: Outcome, screen: Console) -> None:
    spent = outcome.trainer.progress.spent
    screen.print(
        f"Trained {counted(spent.steps, 'step')} in {spent.seconds:.0f} s, {outcome.pace:,.0f} tokens a second."
    )
    screen.print(f"{loss_curve(outcome.losses)}\n")
    if outcome.clozes:
        screen.print(cloze_table(outcome))
    screen.print(exam_table(outcome))
    screen.print(verdict(outcome))
    screen.print(next_steps(outcome), soft_wrap=True)


def loss_curve(losses: list[float], width: int = 40) -> str:
    """loss 6.24 █▅▂▁ 0.61: each bar the mean of a stretch of steps, as a logarithm"""
    stretch = max(1, len(losses) // width)
    means = [fmean(losses[i : i + stretch]) for i in range(0, len(losses) - stretch + 1, stretch)]
    low, high = log(min(means)), log(max(means))
    steps = (len(BARS) - 1) / (high - low) if high > low else 0
    bars = "".join(BARS[round(steps * (log(mean) - low))] for mean in means)
    return f"loss {losses[0]:.2f} [cyan]{bars}[/] {means[-1]:.2f}"


def cloze_table(outcome: Outcome) -> Table:
    made = table("Text it has never read: what is the hidden word?", "text", "before", "after", "")
    for column in made.columns[1:]:
        column.justify = "left"
    for cloze, before, after in zip(outcome.clozes, outcome.before.fills, outcome.after.fills, strict=True):
        found = after[0].word == cloze.answer
        made.add_row(
            escape(cloze.text),
            fills(before, cloze.answer),
            fills(after, cloze.answer),
            "[green]✓[/]" if found else f"[red]✗[/] {escape(cloze.answer)}",
        )
        made.add_section()
    return made


def fills(found: list[Guess], answer: str) -> str:
    """A line for each guess, the right one in green."""
    width = max(len(guess.word) for guess in found)
    lines = (f"{guess.word:<{width}} {percent(guess.probability, 0):>5}" for guess in found)
    return "\n".join(
        f"[green]{escape(line)}[/]" if guess.word == answer else escape(line)
        for guess, line in zip(found, lines, strict=True)
    )


def exam_table(outcome: Outcome) -> Table:
    made = table(
        f"Exam: {outcome.words:,} tokens hidden in text it has never read", "", "right", "perplexity"
    )
    for name, score in (
        (f'always the most frequent token, "{outcome.counted.word}"', outcome.counted.by_frequency),
        ("trigrams: what stood between these two neighbours", outcome.counted.by_neighbours),
        ("the model before training", outcome.before.score),
        ("the model after training", outcome.after.score),
    ):
        made.add_row(escape(name), percent(score.accuracy), f"{score.perplexity:,.1f}")
    made.rows[-1].style = "bold"
    return made


def verdict(outcome: Outcome) -> str:
    points = f"{100 * abs(outcome.lead):.1f} points"
    if outcome.lead > 0:
        return f"[bold green]{points} above[/] counting the neighbours.\n"
    return f"[bold yellow]{points} below[/] counting the neighbours: longer training (--minutes) helps.\n"


def next_steps(outcome: Outcome) -> str:
    model = escape(str(outcome.trainer.folder.checkpoints / "last"))
    return (
        f"The run with its curves: {escape(str(outcome.report))}\n"
        f"The model:               {model}\n"
        "Try next:\n"
        f'  mini-bert trace "the dog is in the \\[MASK] ." --model {model}\n'
        "  mini-bert gradcheck    [dim]prove every gradient of this model[/]\n"
        "  mini-bert info         [dim]what the full Mini-BERT is made of, and what it costs[/]"
    )


def as_dict(outcome: Outcome) -> dict[str, Any]:
    spent, by = outcome.trainer.progress.spent, outcome.counted
    return {
        "seed": outcome.trainer.config.seed,
        "steps": spent.steps,
        "seconds": spent.seconds,
        "tokens_per_second": outcome.pace,
        "loss": {"first": outcome.losses[0], "last": outcome.losses[-1]},
        "exam": {
            "words": outcome.words,
            "most_frequent_word": {"word": by.word, **plain(by.by_frequency)},
            "neighbours": plain(by.by_neighbours),
            "before": plain(outcome.before.score),
            "after": plain(outcome.after.score),
        },
        "clozes": [
            {
                "text": cloze.text,
                "answer": cloze.answer,
                "before": [guess._asdict() for guess in old],
                "after": [guess._asdict() for guess in new],
            }
            for cloze, old, new in zip(outcome.clozes, outcome.before.fills, outcome.after.fills, strict=True)
        ],
        "run": str(outcome.trainer.folder.path),
        "report": str(outcome.report),
    }


def plain(score: Score) -> dict[str, float]:
    return {"loss": score.loss, "accuracy": score.accuracy, "perplexity": score.perplexity}
