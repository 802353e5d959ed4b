"""The exam of hidden words: which share a model finds, how surprised it is, and what counting alone would reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.answers import Answers
from mini_bert.evaluation.intrinsic.clustered import clustered_mean, clustered_share
from mini_bert.evaluation.intrinsic.counted_words import ByCounts
from mini_bert.evaluation.intrinsic.metrics import compute_perplexity
from mini_bert.evaluation.intrinsic.questions import Questions
from mini_bert.evaluation.intrinsic.word_group_tables import (
    by_group,
    group_figures,
    group_picture,
    group_table,
    hundredfold,
)
from mini_bert.evaluation.intrinsic.word_groups import band_name, by_frequency, by_part_of_speech, by_piece
from mini_bert.evaluation.section import Column, Kind, Picture, Row, Section, Table
from mini_bert.inference.fill_mask import word_of
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.baselines import WordFrequencies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST_FEW = 5
INTERVALS = (
    "95 % intervals: words in the same row are not independent, so the variance is that of whole rows "
    "(design effect)."
)


@dataclass(frozen=True)
class Score:
    """What one contender reached in the whole exam."""

    accuracy: Estimate
    top5_accuracy: Estimate
    loss: Estimate
    mean_rank: Estimate

    @classmethod
    def of(cls, answers: Answers, row: Array) -> Score:
        return cls(
            clustered_share(answers.right, row),
            clustered_share(answers.among(FIRST_FEW), row),
            clustered_mean(-answers.log_prob, row),
            clustered_mean(answers.rank, row),
        )

    @property
    def perplexity(self) -> Estimate:
        return perplexity_of(self.loss)

    def figures(self) -> dict[str, Any]:
        found = {
            "masked_accuracy": self.accuracy,
            "top5_accuracy": self.top5_accuracy,
            "loss": self.loss,
            "perplexity": self.perplexity,
            "mean_rank": self.mean_rank,
        }
        return {
            **{name: one.value for name, one in found.items()},
            "intervals": {name: [one.low, one.high] for name, one in found.items()},
        }


def perplexity_of(loss: Estimate) -> Estimate:
    """e to a loss, and to the ends of its interval."""
    low, high = (None if end is None else compute_perplexity(max(end, 0.0)) for end in loss[1:])
    return Estimate(compute_perplexity(loss.value), low, high)


@dataclass(frozen=True)
class Contenders:
    """The answers of a model and of all it must beat."""

    model: Answers
    random_weights: Answers
    counts: ByCounts


def section_of(questions: Questions, tokenizer: Tokenizer, found: Contenders, seed: int) -> Section:
    row = questions.row
    frequent = word_of(WordFrequencies.counted(found.counts.counts, tokenizer).most_frequent, tokenizer)
    near = "the word before (bigrams)" if questions.is_causal else "the words beside it (trigrams)"
    answers: dict[str, tuple[str, Kind, Answers]] = {
        "model": ("this model", "model", found.model),
        "neighbours": (near, "baseline", found.counts.neighbours),
        "unigram": (f"word frequencies (always “{frequent}”)", "baseline", found.counts.words),
        "random_weights": ("this network, random weights", "control", found.random_weights),
    }
    scores = {key: Score.of(one, row) for key, (_, _, one) in answers.items()}
    advantage = clustered_mean(found.model.right.astype(float) - found.counts.neighbours.right, row)
    groups = {
        "by_part_of_speech": ("By part of speech", "part of speech", by_part_of_speech(questions, tokenizer)),
        "by_frequency": (
            "By frequency",
            "times in the text that was counted",
            by_frequency(found.counts.count_of_word),
        ),
        "by_piece": ("By piece of a word", "piece", by_piece(questions, tokenizer)),
    }
    tables = [overall(scores, answers, questions, found.counts)]
    figures: dict[str, Any] = {}
    pictures = [Picture("Words found", lambda: bars_of(scores, answers), INTERVALS)]
    for key, (title, header, group) in groups.items():
        if group is None:
            continue
        by = by_group(group, row, {name: one for name, (_, _, one) in answers.items()})
        named = {
            band_name(int(name)) if key == "by_frequency" else str(name): one for name, one in by.items()
        }
        tables.append(group_table(title, header, named, near))
        figures[key] = {name: group_figures(one) for name, one in named.items()}
        pictures.append(group_picture(title, named))
    B, T = questions.batch.ids.shape
    return Section(
        "hidden-words",
        "Next words" if questions.is_causal else "Hidden words",
        told(questions),
        tuple(tables),
        {
            "text": questions.text.told,
            "asks": questions.asks,
            "rows": B,
            "row_length": T,
            "questions": len(questions),
            "asked_share": len(questions) / (B * T),
            "unknown_share": questions.unknown_share,
            "seed": seed,
            "counted_in": found.counts.told,
            **scores["model"].figures(),
            "baselines": {
                "most_frequent_word": {"word": frequent, "masked_accuracy": scores["unigram"].accuracy.value},
                **{key: score.figures() for key, score in scores.items() if key != "model"},
            },
            "advantage_over_neighbours": {
                "masked_accuracy": advantage.value,
                "interval": [advantage.low, advantage.high],
            },
            **figures,
        },
        tuple(pictures),
    )


def told(questions: Questions) -> str:
    B, T = questions.batch.ids.shape
    what = (
        "every next word is asked for"
        if questions.is_causal
        else f"{questions.batch.positions.shape[1]} tokens of each are hidden behind [MASK], none kept or replaced"
    )
    unknown = questions.unknown_share
    further = (
        f" {unknown:.1%} of the tokens are unknown to the vocabulary, and not asked for." if unknown else ""
    )
    further += f" {questions.text.note}" if questions.text.note else ""
    return (
        f"{questions.text.told}: {B:,} rows of {T} tokens, packed as in training; {what}; {len(questions):,} "
        f"questions.{further}"
    )


def overall(
    scores: Mapping[str, Score],
    answers: Mapping[str, tuple[str, Kind, Answers]],
    questions: Questions,
    counts: ByCounts,
) -> Table:
    return Table(
        f"{questions.asks.capitalize()} found",
        (
            Column("who guesses"),
            Column("right", is_share=True),
            Column("perplexity"),
            Column(f"in first {FIRST_FEW}", is_share=True),
            Column("loss (nats)", decimals=2),
            Column("mean rank"),
        ),
        tuple(
            Row(
                (
                    name,
                    score.accuracy,
                    score.perplexity.value,
                    score.top5_accuracy,
                    score.loss,
                    score.mean_rank.value,
                ),
                kind,
            )
            for (name, kind, _), score in zip(answers.values(), scores.values(), strict=True)
        ),
        f"{INTERVALS} Words were counted in {counts.told}.",
    )


def bars_of(scores: Mapping[str, Score], answers: Mapping[str, tuple[str, Kind, Answers]]) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = [
        Bar(answers[key][0], *hundredfold(one.accuracy), answers[key][1]) for key, one in scores.items()
    ]
    return bars(entries, "words found (%)")
