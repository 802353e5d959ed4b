"""Mistakes between the text and the model: what is shown, and what is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mini_bert.core.array import Array
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer
from mini_bert.training.goals import masking_of
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer

GREEK = ("εν αρχη ην ο λογος και ο λογος ην προς τον θεον και θεος ην ο λογος .", "παντα ρει , ουδεν μενει .")
GREEK_PIECES = 60


def invert_the_mask(trainer: Trainer) -> None:
    """The words that are asked for stay visible, and all others are hidden: `~mask` in place of `mask`."""
    masking = masking_of(trainer.config, trainer.materials.tokenizer)

    def inverted(batch: MaskedBatch) -> MaskedBatch:
        asked = np.zeros(batch.ids.shape, bool)
        np.put_along_axis(asked, batch.positions, batch.weights > 0, 1)
        words = batch.ids.copy()
        np.put_along_axis(words, batch.positions, batch.labels, 1)
        return replace(batch, ids=np.where(masking.is_word(words) & ~asked, masking.mask_id, words))

    change_batches(trainer, inverted)


def shift_the_labels(trainer: Trainer) -> None:
    """Each place is asked for the word after it, as if a language model were trained from left to right."""

    def shifted(batch: MaskedBatch) -> MaskedBatch:
        words = batch.ids.copy()
        np.put_along_axis(words, batch.positions, batch.labels, 1)
        last = batch.ids.shape[1] - 1
        return replace(batch, labels=np.take_along_axis(words, np.minimum(batch.positions + 1, last), 1))

    change_batches(trainer, shifted)


def repeat_one_batch(trainer: Trainer) -> None:
    """The batch is drawn once, before the loop."""
    first: list[MaskedBatch] = []

    def always_the_first(batch: MaskedBatch) -> MaskedBatch:
        first.append(batch)
        return first[0]

    change_batches(trainer, always_the_first)


def shuffle_the_vocabulary(trainer: Trainer) -> None:
    """The text was turned into ids with another vocabulary, in which the same words have other numbers."""
    tokenizer = trainer.materials.tokenizer
    words = np.flatnonzero(masking_of(trainer.config, tokenizer).ordinary)
    other: Array = np.arange(tokenizer.vocab_size)
    other[words] = np.random.default_rng(7).permutation(words)
    change_batches(trainer, lambda batch: replace(batch, ids=other[batch.ids], labels=other[batch.labels]))


def take_a_greek_vocabulary(run: RunFolder) -> None:
    """The vocabulary was learned from text in another alphabet: hardly a word is in it."""
    WordPieceTokenizer.train(list(GREEK), GREEK_PIECES).save(run.tokenizer)


def change_batches(trainer: Trainer, change: Callable[[MaskedBatch], MaskedBatch]) -> None:
    sound = trainer.stream.take
    trainer.stream.take = lambda *args: change(sound(*args))  # type: ignore[method-assign]
