"""The exam of hidden words: which share a model finds, how surprised it is, and what counting alone would reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mini_bert.errors import counted
from mini_bert.evaluation.intrinsic.clustered import clustered_mean
from mini_bert.evaluation.intrinsic.counted_words import ByCounts
from mini_bert.evaluation.intrinsic.hidden_word_scores import (
    FIRST_FEW,
    Contenders,
    Named,
    Score,
    beside_told,
    called,
    most_frequent,
)
from mini_bert.evaluation.intrinsic.questions import Questions
from mini_bert.evaluation.intrinsic.word_group_tables import (
    by_group,
    group_figures,
    group_picture,
    group_table,
    hundredfold,
)
from mini_bert.evaluation.intrinsic.word_groups import band_name, by_frequency, by_part_of_speech, by_piece
from mini_bert.evaluation.section import Column, Picture, Row, Section, Table
from mini_bert.tokenizers.tokenizer import Tokenizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVALS = (
    "95 % intervals: words in the same row are not independent, so the variance is that of whole rows "
    "(design effect)."
)

WORTH_TELLING = 0.0005
"""A share that is not 0.0 % when it is rounded."""
DISGUISED = "The same words as most papers hide them: 80 % [MASK], 10 % another word, 10 % as they are"


def section_of(
    questions: Questions,
    tokenizer: Tokenizer,
    found: Contenders,
    seed: int,
    disguised: Sequence[tuple[Questions, Contenders]] = (),
) -> Section:
    """`disguised` are the same questions where not all is hidden behind [MASK]; they get a table of their own."""
    row = questions.row
    frequent, near = most_frequent(found, tokenizer), beside_told(questions)
    answers = called(questions, tokenizer, found)
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
    for others, theirs in disguised:
        shown = called(others, tokenizer, theirs)
        other_scores = {key: Score.of(one, others.row) for key, (_, _, one) in shown.items()}
        tables.append(replace(overall(other_scores, shown, others, theirs.counts), title=DISGUISED, note=""))
        figures["berts_disguise"] = {
            **other_scores["model"].figures(),
            "baselines": {key: one.figures() for key, one in other_scores.items() if key != "model"},
        }
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
            "layout": questions.layout,
            "cut": questions.cut,
            "asked_share": len(questions) / questions.batch.tokens,
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
    laid = (
        f"{B:,} rows of {T} tokens, documents one after the other"
        if questions.layout == "packed"
        else f"{B:,} documents, each in a row of its own of at most {T} tokens"
    )
    hidden = (
        f"{questions.batch.positions.shape[1]}" if questions.layout == "packed" else "15 % (at least one)"
    )
    what = (
        "every next word is asked for"
        if questions.is_causal
        else f"{hidden} tokens of each are hidden behind [MASK], none kept or replaced"
    )
    further = f" {counted(questions.cut, 'document')} longer than that: cut." if questions.cut else ""
    if (unknown := questions.unknown_share) >= WORTH_TELLING:
        further += f" {unknown:.1%} of the tokens are unknown to the vocabulary, and not asked for."
    further += f" {questions.text.note}" if questions.text.note else ""
    return f"{questions.text.told}: {laid}; {what}; {len(questions):,} questions.{further}"


def overall(
    scores: Mapping[str, Score],
    answers: Named,
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


def bars_of(scores: Mapping[str, Score], answers: Named) -> Figure:
    from mini_bert.plots.bars import Bar, bars

    entries = [
        Bar(answers[key][0], *hundredfold(one.accuracy), answers[key][1]) for key, one in scores.items()
    ]
    return bars(entries, "words found (%)")
