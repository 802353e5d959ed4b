"""A batch that stays the same while weights are looked at, or moved: what all analyses of learning ask for a loss.

lesson = lesson_of(model, ["The cat sat on the mat.", "Snow is cold."])      # some of their words are hidden
lesson = as_lesson(model, read(model, "The cat [MASK].", target="sat"))
loss_at(model, lesson)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.analysis.reading import Reading, read, without_hooks
from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.evaluation.intrinsic.one_batch import Lesson, check_learns_words, exercise_for, learned_from
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.reading import as_batch, tokenizer_of
from mini_bert.models.inputs import checked_ids
from mini_bert.models.mini import MiniBERT
from mini_bert.models.passes import IGNORED
from mini_bert.training.goals import practice_goal
from mini_bert.training.masking import MASKED_SHARE, Disguise, Masking, masked_words
from mini_bert.training.objectives import MaskedBatch, MaskedWords

One = str | Reading | Lesson | MaskedBatch
Given = One | Sequence[str]
"""What a loss can be asked of: a text, several, a text that was read, or a batch."""


def lesson_of(
    model: MiniBERT,
    texts: Sequence[str],
    *,
    share: float = MASKED_SHARE,
    disguise: Disguise | None = None,
    seed: int = 0,
) -> Lesson:
    """A row for each text, cut to what the model reads, with a `share` of its words asked for in the model's own way.

    A model that fills gaps has them all behind [MASK], or as `disguise` says; a causal one is asked for every word.
    """
    if not texts or not all(text.strip() for text in texts):
        raise ValueError("texts: some are empty, or there are none; give at least one with words")
    with Subject(model) as subject:
        check_learns_words(subject)
        exercise, objective = exercise_for(subject)
    if disguise is not None and isinstance(exercise, Masking):
        exercise = replace(exercise, disguise=disguise)
    encodings = tokenizer_of(model).encodings(texts, max_length=model.config.max_seq_length)
    ids, mask, types = as_batch(model, encodings)
    lengths = np.full(len(ids), ids.shape[1]) if mask is None else mask.sum(1)
    quota = np.array([masked_words(int(length), share) for length in lengths])
    batch = exercise(ids, int(quota.max()), np.random.default_rng(seed), quota=quota)
    if not (batch.weights > 0).any():
        raise ValueError("texts: not a word in them that the vocabulary knows; give others")
    inputs = dict(batch.inputs or {})
    if mask is not None:
        inputs["attention_mask"] = mask
    if types is not None:
        inputs["token_type_ids"] = types
    return Lesson(replace(batch, inputs=inputs or None), objective)


def every_word_of(model: MiniBERT, text: str) -> Lesson:
    """A row for each piece of a text, with that piece hidden and asked for; of other models, what they are asked."""
    config, tokenizer = model.config, tokenizer_of(model)
    if config.head != "words" or config.causal or config.streams == 2 or tokenizer.mask_id is None:
        return lesson_of(model, [text], share=1.0)
    if not text.strip():
        raise ValueError("the text is empty; give one with words")
    encoding = tokenizer.encoding(text)
    ids, _, types = as_batch(model, [encoding])
    places = np.flatnonzero(~np.isin(ids[0], tokenizer.special_ids))
    if not places.size:
        raise ValueError(f"text {text!r}: not a word in it that the vocabulary knows; give another")
    n = len(places)
    shown = np.repeat(ids, n, axis=0)
    shown[np.arange(n), places] = tokenizer.mask_id
    inputs = None if types is None else {"token_type_ids": np.repeat(types, n, axis=0)}
    labels = ids[0, places][:, None]
    batch = MaskedBatch(checked_ids(shown, config), places[:, None], labels, np.full((n, 1), 1 / n), inputs)
    return Lesson(batch, MaskedWords())


def as_lesson(model: MiniBERT, given: Given) -> Lesson:
    """What was given, as a batch with its objective."""
    if isinstance(given, Lesson):
        return given
    if isinstance(given, MaskedBatch):
        return Lesson(given, practice_goal(model.config).objective)
    if not isinstance(given, str | Reading):
        return lesson_of(model, given)
    reading = read(model, given, watch=()) if isinstance(given, str) else given
    return Lesson(batch_of(without_hooks(reading)), MaskedWords())


def batch_of(reading: Reading) -> MaskedBatch:
    """The one row of a text, with all that was asked for in it."""
    places = np.flatnonzero(reading.labels != IGNORED)
    if not places.size:
        raise ValueError(
            "nothing is asked for in this text: the model tells no words; give one with head=words, or a lesson"
        )
    return MaskedBatch(
        reading.ids[None],
        places[None],
        reading.labels[places][None],
        np.full((1, len(places)), 1 / len(places)),
        dict(reading.passed.trace.inputs) or None,
    )


def loss_at(model: MiniBERT, lesson: Lesson) -> float:
    """The loss of a lesson with the weights as they are; no gradient is prepared."""
    batch, objective = lesson
    with np.errstate(over="ignore", invalid="ignore"):  # a loss that is not finite says so itself
        losses, _ = objective.loss(model.network, model.arena, batch, keeps=False)
        return float(objective.total(losses, batch))


def gradient_at(model: MiniBERT, lesson: Lesson, into: Arena | None = None) -> tuple[float, Arena]:
    """The loss, and its gradient for every weight, in `into` if that is given."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = learned_from(model, lesson, into)
    return found.loss, found.gradient


def twin_of(model: MiniBERT, dtype: DTypeLike | None = None) -> MiniBERT:
    """The same model with weights of its own, which may be moved."""
    twin = copy(model)
    twin.arena = model.arena.copy(dtype)
    return twin


@contextmanager
def moved(twin: MiniBERT, start: Array) -> Iterator[Array]:
    """The flat weights of a twin, to be written to; back at `start` afterwards."""
    try:
        yield twin.arena.flat
    finally:
        twin.arena.flat[:] = start
