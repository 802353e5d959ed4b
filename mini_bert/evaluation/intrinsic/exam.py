"""What a model was trained for: words that are hidden, how sure it may be of them, and whole sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from mini_bert.checked import Checked
from mini_bert.evaluation.cloze_baselines import MOST_TOKENS
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.intrinsic import calibration, masked_words, pseudo_perplexity
from mini_bert.evaluation.intrinsic.counted_words import Counted, by_counts, counted_text
from mini_bert.evaluation.intrinsic.exam_text import (
    COUNTED_STORIES,
    ExamText,
    counted_as_learned,
    treebank_text,
    world_text,
)
from mini_bert.evaluation.intrinsic.hidden_word_scores import Contenders
from mini_bert.evaluation.intrinsic.questions import (
    ALL_HIDDEN,
    Questions,
    RowLayout,
    answers_of,
    check_tells_words,
    questions_for,
    row_length,
)
from mini_bert.evaluation.section import Section
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.reports import Report, part, silent
from mini_bert.training.masking import BERTS_DISGUISE

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
    counted_tokens: int = Field(
        MOST_TOKENS,
        ge=1,
        description="at most, of other text; all contexts are kept: 70 MB for each million",
    )
    layout: RowLayout = Field(
        "packed", description="documents one after the other in full rows, or a row for each of them"
    )
    disguise: Literal["mask", "bert"] = Field(
        "mask",
        description="all that is asked for stands behind [MASK]; bert: beside that, 80 % do, a tenth is replaced and a "
        "tenth stays, as most papers count",
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
    seed = settings.seed
    with subject.random_twin() as twin:
        asked = asked_on(subject, twin, text, settings, part(report, 0.0, 0.8))
        questions, found = asked[0]
        sections = [
            masked_words.section_of(questions, subject.tokenizer, found, seed, asked[1:]),
            calibration.section_of(subject, questions, found, seed),
        ]
        within = part(report, 0.85, 1.0)
        sentences = settings.sentences and pseudo_perplexity.section_of(
            subject, twin, text, found.counts, settings.sentences, seed, within
        )
    return [*sections, sentences] if sentences else sections


def asked_on(
    subject: Subject,
    twin: Subject,
    text: ExamText,
    settings: Settings,
    report: Report = silent,
    counted: Counted | None = None,
) -> list[tuple[Questions, Contenders]]:
    """The questions with all answers; the same places once more if they are to be disguised in another way too."""
    tokenizer, seed, rows = subject.tokenizer, settings.seed, rows_asked(subject, settings)
    counted = counted or counts_for(subject, text, settings, part(report, 0.0, 0.2))
    disguises = [ALL_HIDDEN]
    if settings.disguise == "bert" and not subject.model.config.causal:
        disguises.append(BERTS_DISGUISE)
    found = []
    for number, disguise in enumerate(disguises):
        within = part(part(report, 0.2, 1.0), number / len(disguises), (number + 1) / len(disguises))
        questions = questions_for(
            subject, text, rows, seed, part(within, 0.0, 0.1), layout=settings.layout, disguise=disguise
        )
        answers = Contenders(
            answers_of(subject, questions, part(within, 0.1, 0.35)),
            answers_of(twin, questions, part(within, 0.35, 0.6)),
            by_counts(questions, tokenizer, seed, part(within, 0.6, 1.0), counted),
        )
        found.append((questions, answers))
    return found


def counts_for(
    subject: Subject, text: ExamText, settings: Settings, report: Report = silent
) -> Counted | None:
    return counted_text(
        text, subject.tokenizer, row_length(subject), settings.seed, report, settings.counted_tokens
    )


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
    times = 2 if settings.disguise == "bert" else 1
    return text_of_seconds + times * (both + questions * SECONDS_A_QUESTION)


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
