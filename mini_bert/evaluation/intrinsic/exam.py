"""What a model was trained for: words that are hidden, how sure it may be of them, and whole sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic import calibration, masked_words, pseudo_perplexity
from mini_bert.evaluation.intrinsic.counted_words import by_counts
from mini_bert.evaluation.intrinsic.exam_text import (
    COUNTED_STORIES,
    ExamText,
    counted_as_learned,
    treebank_text,
    world_text,
)
from mini_bert.evaluation.intrinsic.masked_words import Contenders
from mini_bert.evaluation.intrinsic.questions import answers_of, check_tells_words, questions_for, row_length
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part, silent

CAUSAL_SHARE = 8
"""A model that is asked for every next word has so many times the questions of a row; it gets as many rows fewer."""
PIECES_OF_A_SENTENCE = 13
SECONDS_OF_TEXT, SECONDS_A_QUESTION = 1.5, 2.5e-4
"""To read the text once it is tokenized, and to look up what counting says of a word."""
LOGIT_COST = 3
"""Multiply-adds that a logit costs beside its product: it is compared, summed and raised to a power."""


class Settings(Checked):
    rows: int = Field(1024, ge=2, description="of packed text in which words are hidden")
    sentences: int = Field(300, ge=0, description="whose pseudo-perplexity is measured; 0 for none")
    counted_stories: int = Field(
        COUNTED_STORIES, ge=1, description="of the embedded world, in which baselines count"
    )
    seed: int = Field(0, ge=0, description="draws rows, hidden words and sentences")


def examine(
    subject: Subject, tasks: TaskFolder | None, settings: Settings, report: Report = silent
) -> list[Section]:
    text = counted_as_learned(text_of(tasks, settings), subject.model)
    return examine_on(subject, text, settings, report)


def text_of(tasks: TaskFolder | None, settings: Settings) -> ExamText:
    if tasks is None:
        return world_text(counted_stories=settings.counted_stories)
    text = treebank_text(tasks)
    if text is None:
        raise DoesNotApply(
            f"{tasks.path}: there is no ud_ewt/dev.conllu, whose text would be asked about; leave --data out for the "
            "embedded world, or name a text: mini-bert metrics --text FILE"
        )
    return text


def examine_on(
    subject: Subject, text: ExamText, settings: Settings, report: Report = silent
) -> list[Section]:
    """The same on any text."""
    check_tells_words(subject)
    rows, seed = rows_asked(subject, settings), settings.seed
    questions = questions_for(subject, text, rows, seed, part(report, 0.0, 0.1))
    with subject.random_twin() as twin:
        found = Contenders(
            answers_of(subject, questions, part(report, 0.1, 0.3)),
            answers_of(twin, questions, part(report, 0.3, 0.5)),
            by_counts(questions, subject.tokenizer, seed, part(report, 0.5, 0.8)),
        )
        sections = [
            masked_words.section_of(questions, subject.tokenizer, found, seed),
            calibration.section_of(subject, questions, found, seed),
        ]
        within = part(report, 0.85, 1.0)
        sentences = settings.sentences and pseudo_perplexity.section_of(
            subject, twin, text, found.counts, settings.sentences, seed, within
        )
    return [*sections, sentences] if sentences else sections


def rows_asked(subject: Subject, settings: Settings) -> int:
    return max(2, settings.rows // CAUSAL_SHARE) if subject.model.config.causal else settings.rows


def seconds(subject: Subject, tasks: TaskFolder | None, settings: Settings, pace: Pace) -> float:
    check_tells_words(subject)
    text_of_seconds = SECONDS_OF_TEXT if tasks is None else 2 * SECONDS_OF_TEXT
    if tasks is not None and tasks.split("ud_ewt", "dev") is None:
        text_of(tasks, settings)
    config, T = subject.model.config, row_length(subject)
    rows = rows_asked(subject, settings)
    questions = rows * (T if config.causal else 0.15 * T)
    tokens = rows * T + settings.sentences * PIECES_OF_A_SENTENCE * (PIECES_OF_A_SENTENCE + 2)
    answers = questions + settings.sentences * PIECES_OF_A_SENTENCE
    logits = answers * config.vocab_size * (config.table_size + 20 * LOGIT_COST)
    both = 2 * (tokens / pace.forward_tokens + logits / pace.multiplications)
    return text_of_seconds + both + questions * SECONDS_A_QUESTION


def summary(sections: Sequence[Section]) -> dict[str, Any]:
    """The figures of all sections in one object, the most wanted of them first."""
    by_name: Mapping[str, Mapping[str, Any]] = {section.name: section.figures for section in sections}
    found = dict(by_name["hidden-words"])
    wanted = ("masked_accuracy", "top5_accuracy", "loss", "perplexity")
    sentences = by_name.get("pseudo-perplexity")
    return {
        **{name: found.pop(name) for name in wanted},
        "pseudo_perplexity": sentences["pseudo_perplexity"] if sentences else None,
        "calibration_error": by_name["calibration"]["calibration_error"],
        **found,
        "calibration": by_name["calibration"],
        "sentences": sentences,
        **{
            section.name.replace("-", "_"): section.figures
            for section in sections
            if section.name not in ("hidden-words", "calibration", "pseudo-perplexity")
        },
    }
