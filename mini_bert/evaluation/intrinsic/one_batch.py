"""One batch of exercises for a model, of the kind it learns from, and the gradient that follows."""

from __future__ import annotations

from typing import NamedTuple

from mini_bert.core.arena import Arena
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.intrinsic.questions import packed_rows, row_length
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.fill_mask import TELLS
from mini_bert.models.inputs import checked_ids
from mini_bert.models.mini import MiniBERT
from mini_bert.reports import Report, silent
from mini_bert.training.goals import exam_exercise
from mini_bert.training.masking import Exercise, masked_words
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Objective
from mini_bert.training.objectives.replaced_tokens import ReplacedTokens
from mini_bert.training.stream import MaskedStream


class Lesson(NamedTuple):
    """A batch, and what is learned from it."""

    batch: MaskedBatch
    objective: Objective


def lesson_for(subject: Subject, text: ExamText, rows: int, seed: int, report: Report = silent) -> Lesson:
    """So many rows of a text, fewer if it has not so many, all that is asked for behind [MASK]."""
    check_learns_words(subject)
    exercise, objective = exercise_for(subject)
    packed = packed_rows(text.corpus, subject.tokenizer, row_length(subject), seed, report)
    count = min(rows, packed.rows_per_epoch)
    batch = MaskedStream(packed, exercise, masked_words(packed.T), count, seed).take(count)
    checked_ids(batch.ids, subject.model.config)
    return Lesson(batch, objective)


def check_learns_words(subject: Subject) -> None:
    config = subject.model.config
    if config.head != "words" and not config.generator:
        raise DoesNotApply(
            f"this model tells {TELLS[config.head]}, and learns that from labels; load one with head=words, which "
            "learns from text alone"
        )
    if not config.causal and subject.tokenizer.roles.mask is None:
        raise DoesNotApply(
            "this vocabulary has no sign for a hidden word, like [MASK], to make exercises with"
        )


def exercise_for(subject: Subject) -> tuple[Exercise, Objective]:
    config = subject.model.config
    return exam_exercise(config, subject.tokenizer), ReplacedTokens() if config.generator else MaskedWords()


class Learned(NamedTuple):
    """The loss of a batch, the share of its words that are found, and the gradient."""

    loss: float
    right: float
    gradient: Arena


def learned_from(model: MiniBERT, lesson: Lesson, gradient: Arena | None = None) -> Learned:
    """One forward and one backward pass; `gradient` is where the gradient goes, instead of a new place."""
    batch, objective = lesson
    gradient = model.arena.zeros_like() if gradient is None else gradient
    gradient.flat[:] = 0
    losses, t = objective.loss(model.network, model.arena, batch)
    objective.backward(model.network, batch, t, gradient)
    right = min(1.0, round(objective.scores(losses, batch, t)[1], 9))  # a sum of weights, which round
    return Learned(float(objective.total(losses, batch)), right, gradient)
