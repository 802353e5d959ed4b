"""Masking: hide some words of a text and ask for them (Devlin et al. 2019)."""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.tokenizers.special import MASK_ID, SPECIAL_TOKENS
from mini_bert.training.objectives import MaskedBatch

FIRST_WORD_ID = len(SPECIAL_TOKENS)


def mask_for_training(
    ids: Array,
    k: int,
    rng: np.random.Generator,
    vocab_size: int,
    *,
    hidden: float = 0.8,
    replaced: float = 0.1,
) -> MaskedBatch:
    """Ask for k words of each sequence; ids (B, T) stay as they are, the batch has its own.

    A chosen word becomes [MASK] with probability `hidden`, a random word with probability `replaced`, and
    else stays: the model cannot know which words are sound, so it must understand all of them. Special tokens
    are never chosen; a sequence with fewer than k words fills up with places of weight 0.
    """
    if not 1 <= k <= ids.shape[1]:
        raise ValueError(f"k={k} words of {ids.shape[1]} tokens; choose k from 1 to {ids.shape[1]}")
    positions = chosen_positions(ids, k, rng)
    labels = np.take_along_axis(ids, positions, 1)
    is_word = labels >= FIRST_WORD_ID
    shown = np.where(is_word, disguised(labels, rng, vocab_size, hidden, replaced), labels)
    masked = ids.copy()
    np.put_along_axis(masked, positions, shown, 1)
    return MaskedBatch(masked, positions, labels, weights=is_word / max(is_word.sum(), 1))


def chosen_positions(ids: Array, k: int, rng: np.random.Generator) -> Array:
    """k places in each row, all words as likely, special tokens only when there are no words left: (B, k)"""
    lots = rng.random(ids.shape) + (ids < FIRST_WORD_ID)
    return np.sort(np.argpartition(lots, k - 1, axis=1)[:, :k], axis=1)


def disguised(
    words: Array, rng: np.random.Generator, vocab_size: int, hidden: float, replaced: float
) -> Array:
    """What stands in the place of each word: [MASK], a random word, or the word itself."""
    fate = rng.random(words.shape)
    others = rng.integers(FIRST_WORD_ID, vocab_size, words.shape)
    return np.where(fate < hidden, MASK_ID, np.where(fate < hidden + replaced, others, words))
