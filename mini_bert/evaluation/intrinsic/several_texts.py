"""Hidden words in several texts: each by itself, and all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mini_bert.evaluation.estimate import mixed
from mini_bert.evaluation.intrinsic.exam import Settings, asked_on, counts_for
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.intrinsic.hidden_word_scores import Contenders, Score, called
from mini_bert.evaluation.intrinsic.masked_words import INTERVALS, section_of
from mini_bert.evaluation.intrinsic.questions import Questions, check_tells_words
from mini_bert.evaluation.section import Cell, Column, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report, part, silent

OVERALL = "hidden-words-overall"
DISGUISES = {
    "mask": "all behind [MASK]",
    "bert": "80 % behind [MASK], 10 % replaced, 10 % as they are",
}


@dataclass(frozen=True)
class Asked:
    """What became of a text: how long it is, and by the disguise the score of each contender."""

    text: ExamText
    tokens: int
    scores: Mapping[str, Mapping[str, Score]]
    questions: int
    is_causal: bool
    section: Section


def examine_several(
    subject: Subject, texts: Sequence[ExamText], settings: Settings, report: Report = silent
) -> list[Section]:
    """A section for each text, and one for all. Baselines count once, if they count in the same text for all."""
    check_tells_words(subject)
    same = len({text.counted_told for text in texts}) == 1
    counted = counts_for(subject, texts[0], settings, part(report, 0.0, 0.1)) if same else None
    found = []
    with subject.random_twin() as twin:
        for number, text in enumerate(texts):
            within = part(part(report, 0.1, 1.0), number / len(texts), (number + 1) / len(texts))
            asked = asked_on(subject, twin, text, settings, within, counted)
            found.append(asked_of(subject, asked, settings))
    return [*(one.section for one in found), overall_section(found, settings)]


def asked_of(subject: Subject, asked: Sequence[tuple[Questions, Contenders]], settings: Settings) -> Asked:
    questions, contenders = asked[0]
    section = section_of(questions, subject.tokenizer, contenders, settings.seed, asked[1:])
    scores = {
        disguise: {
            key: Score.of(one, some.row) for key, (_, _, one) in called(some, subject.tokenizer, who).items()
        }
        for disguise, (some, who) in zip(DISGUISES, asked, strict=False)
    }
    short = replace(
        section,
        title=f"{section.title}: {questions.text.told}",
        tables=section.tables[: len(asked)],
        pictures=(),
        headline=None,
    )
    return Asked(
        questions.text,
        questions.rows.cache.contents.tokens,
        scores,
        len(questions),
        questions.is_causal,
        short,
    )


def overall_section(found: Sequence[Asked], settings: Settings) -> Section:
    tokens = [one.tokens for one in found]
    shares = [count / sum(tokens) for count in tokens]
    disguises = list(found[0].scores)
    together = {
        disguise: {
            key: summed([one.scores[disguise][key] for one in found], shares)
            for key in found[0].scores[disguise]
        }
        for disguise in disguises
    }
    questions = sum(one.questions for one in found)
    return Section(
        OVERALL,
        "All texts together",
        f"{len(found)} texts, {questions:,} questions. In the last row each text counts by its length, however many of "
        "its rows were asked: shares and losses are averaged so, and perplexity is e to the averaged loss.",
        tuple(table_of(found, together[disguise], disguise) for disguise in disguises),
        {
            "texts": [one.section.figures for one in found],
            "overall": {
                "questions": questions,
                "layout": settings.layout,
                "seed": settings.seed,
                "shares": {one.text.told: share for one, share in zip(found, shares, strict=True)},
                **figures_of(together["mask"]),
                **({"berts_disguise": figures_of(together["bert"])} if "bert" in together else {}),
            },
        },
        headline=None,
    )


def summed(scores: Sequence[Score], shares: Sequence[float]) -> Score:
    """Σ share · score of each figure"""
    names = ("accuracy", "top5_accuracy", "loss", "mean_rank")
    return Score(*(mixed([getattr(score, name) for score in scores], shares) for name in names))


def figures_of(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {
        **scores["model"].figures(),
        "baselines": {key: one.figures() for key, one in scores.items() if key != "model"},
    }


def table_of(found: Sequence[Asked], together: Mapping[str, Score], disguise: str) -> Table:
    """A row for each text, and one for all; the model, the words beside and word frequencies in columns."""
    rows = [(one.text.told, one.questions, one.scores[disguise]) for one in found]
    rows.append(("all, by length", sum(one.questions for one in found), together))
    near = "bigrams" if found[0].is_causal else "trigrams"
    return Table(
        f"{'Next' if found[0].is_causal else 'Hidden'} words found, {DISGUISES[disguise]}",
        (
            Column("text"),
            Column("right", is_share=True),
            Column("perplexity"),
            Column(near),
            Column("unigrams"),
            Column("questions"),
        ),
        tuple(Row(cells_of(*row)) for row in rows),
        f"{INTERVALS} {near.capitalize()} know the words beside, unigrams how often words occur: the share they find, "
        "and their perplexity.",
    )


def cells_of(told: str, questions: int, scores: Mapping[str, Score]) -> tuple[Cell, ...]:
    model = scores["model"]
    others = (
        f"{100 * one.accuracy.value:.1f} %, {one.perplexity.value:,.1f}"
        for one in (scores["neighbours"], scores["unigram"])
    )
    return told, model.accuracy, model.perplexity.value, *others, questions
