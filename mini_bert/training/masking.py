"""Masking: hide some words of a text and ask for them (Devlin et al. 2019).

A `Masking` is put together from two parts: a chooser, which says where words are asked for, and a disguise,
which says what stands there instead. Chance comes from a NumPy generator, or from `RowDraws`, which are the same
whenever a row comes with the same number:

    masking = Masking.of(tokenizer, chooser=Spans())
    masking(ids, k, np.random.default_rng(0))
    masking(ids, k, RowDraws(seed, row_numbers))

Numbers that go on counting from epoch to epoch make it dynamic (Liu et al. 2019), the same numbers in every epoch
static.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Protocol

import numpy as np

from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig
from mini_bert.tokenizers.special import MASK_ID, SPECIAL_TOKENS
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.draws import RowDraws
from mini_bert.training.objectives import MaskedBatch

SPECIAL_IDS = tuple(range(len(SPECIAL_TOKENS)))
FIRST_WORD_ID = len(SPECIAL_TOKENS)
MASKED_SHARE = 0.15


def masked_words(T: int, share: float = MASKED_SHARE) -> int:
    """How many words are asked for in a row of T tokens."""
    return max(1, round(share * T))


def places_asked(model: ModelConfig) -> int:
    """How many places of a full row a model is asked about: some hidden words, or all but the last if it looks back."""
    T = model.max_seq_length
    return max(1, T - 1) if model.causal else masked_words(T)


Chance = np.random.Generator | RowDraws


class Exercise(Protocol):
    """What text becomes: something shown, and something asked. `Masking` is one; others hide otherwise, or not at all.

    ids (B, T) stay as they are. k words are asked of each sequence, or fewer where its `quota` (B,) is lower; none that
    is `spared` (B, T). `word_ids` (B, T) number the words that tokens belong to.
    """

    def __call__(
        self,
        ids: Array,
        k: int,
        rng: Chance,
        word_ids: Array | None = None,
        quota: Array | None = None,
        spared: Array | None = None,
    ) -> MaskedBatch: ...


class Chooser(ABC):
    """Where words are asked for. It knows words from special tokens, and nothing of the vocabulary."""

    def choose(
        self, is_word: Array, quota: Array, k: int, rng: Chance, word_ids: Array | None = None
    ) -> tuple[Array, Array]:
        """k different places of each row, in order, and which of them are asked for: (B, k) and (B, k).

        Only words (`is_word` (B, T)) are asked for, and no more than the `quota` (B,) of the row. The rest of the k
        is filled up with other places.
        """
        lots = self.lots(is_word, quota, rng, word_ids)
        # Places that are never asked for come in their order: ties would be broken otherwise on another processor.
        lots = np.where(lots < 1, lots, 1 + np.arange(lots.shape[1]))
        positions = np.sort(np.argpartition(lots, k - 1, axis=1)[:, :k], axis=1)
        drawn = np.take_along_axis(lots, positions, 1)
        rank = np.argsort(np.argsort(drawn, axis=1, kind="stable"), axis=1)
        return positions, (drawn < 1) & (rank < quota[:, None])

    @abstractmethod
    def lots(self, is_word: Array, quota: Array, rng: Chance, word_ids: Array | None) -> Array:
        """A lot for each place (B, T): the lowest are taken; one of 1 or more is never asked for."""


@dataclass(frozen=True)
class AnyTokens(Chooser):
    """Every word piece is as likely, whatever its neighbours."""

    def lots(self, is_word: Array, quota: Array, rng: Chance, word_ids: Array | None) -> Array:
        return rng.random(is_word.shape) + ~is_word


@dataclass(frozen=True)
class WholeWords(Chooser):
    """All pieces of a word or none; a piece is no longer given away by the others.

    `word_ids` (B, T) are equal for neighbouring pieces of one word. Words are drawn in random order; one that
    has more pieces than are left of the quota is passed over, so a row may ask for a little less.
    """

    def lots(self, is_word: Array, quota: Array, rng: Chance, word_ids: Array | None) -> Array:
        if word_ids is None:
            raise ValueError("whole-word masking needs word_ids (B, T), the number of each token's word")
        B, T = is_word.shape
        words = word_numbers(is_word, word_ids)
        places = words + T * np.arange(B)[:, None]
        sizes = np.bincount(places[is_word], minlength=B * T).reshape(B, T)
        order = np.argsort(rng.random((B, T)), axis=1)
        taken = np.empty((B, T), bool)
        np.put_along_axis(taken, order, fitting(np.take_along_axis(sizes, order, 1), quota), 1)
        return np.where(is_word & np.take_along_axis(taken, words, 1), 0.0, 1.0)


def word_numbers(is_word: Array, word_ids: Array) -> Array:
    """0, 1, 2 ... for the words of each row (B, T); a special token always parts two words."""
    starts = (word_ids[:, 1:] != word_ids[:, :-1]) | ~is_word[:, 1:] | ~is_word[:, :-1]
    return np.pad(np.cumsum(starts, axis=1), ((0, 0), (1, 0)))


def fitting(sizes: Array, bags: Array) -> Array:
    """Which of the things in each row (B, n) are packed into its bag of a size (B,), first come, first served."""
    room, packed = bags.copy(), np.empty(sizes.shape, bool)
    for i, size in enumerate(sizes.T):
        packed[:, i] = size <= room
        room -= np.where(packed[:, i], size, 0)
    return packed


@dataclass(frozen=True)
class Spans(Chooser):
    """Runs of neighbouring word pieces, of geometric length: P(n) ∝ (1 − p)ⁿ⁻¹ p (SpanBERT, Joshi et al. 2020).

    Spans start anywhere, in random order, and end at a special token at the latest; the last one is cut so
    that exactly the quota is asked for. p = 0.2 and at most 10 give 3.8 pieces on average, as in the paper.
    """

    p: float = 0.2
    longest: int = 10

    def __post_init__(self) -> None:
        if not 0 < self.p < 1 or self.longest < 1:
            raise ValueError(f"spans of p={self.p}, longest={self.longest}; choose 0 < p < 1 and longest ≥ 1")

    def lots(self, is_word: Array, quota: Array, rng: Chance, word_ids: Array | None) -> Array:
        T = is_word.shape[1]
        turns = np.argsort(rng.random(is_word.shape), axis=1)
        turn = covering_turn(is_word, turns, self.lengths(rng.random(is_word.shape)))
        return np.where(is_word, (turn + np.arange(T) / T) / T, 1.0)

    def lengths(self, u: Array) -> Array:
        """The inverse of the distribution at u in [0, 1), cut at `longest`: u ↦ ⌈ln(1 − u·c) / ln(1 − p)⌉ ≥ 1."""
        c = 1 - (1 - self.p) ** self.longest
        return np.maximum(np.ceil(np.log1p(-u * c) / log(1 - self.p)), 1)


def covering_turn(is_word: Array, turns: Array, lengths: Array) -> Array:
    """When each place is first covered (B, T), if the span that starts at s is laid at `turns[s]`."""
    covered, reached = turns.copy(), is_word.copy()
    for d in range(1, min(int(lengths.max()), is_word.shape[1])):
        reached = reached[:, :-1] & is_word[:, d:]  # (B, T - d): all is words from s to s + d
        here = covered[:, d:]
        np.minimum(here, turns[:, :-d], out=here, where=reached & (lengths[:, :-d] > d))
    return covered


@dataclass(frozen=True)
class Disguise:
    """A chosen word becomes [MASK] with probability `hidden`, a random word with `replaced`, and else stays.

    The model cannot know which words are sound, so it must understand all of them.
    """

    hidden: float = 0.8
    replaced: float = 0.1

    def __post_init__(self) -> None:
        if min(self.hidden, self.replaced) < 0 or self.hidden + self.replaced > 1 + 1e-9:
            raise ValueError(f"{self}: choose shares from 0 that add up to 1 at most, like 0.8 and 0.1")

    def shown(self, words: Array, rng: Chance, mask_id: int, others: Array) -> Array:
        """What stands in the place of each of the words; `others` are the ids of all words there are."""
        fate = rng.random(words.shape)
        random = others[rng.integers(0, len(others), words.shape)]
        return np.where(
            fate < self.hidden, mask_id, np.where(fate < self.hidden + self.replaced, random, words)
        )


BERTS_DISGUISE = Disguise()
ANY_TOKENS = AnyTokens()


@dataclass(frozen=True)
class Masking:
    """A way to make exercises out of text. Special tokens are never asked for, and never shown instead."""

    vocab_size: int
    chooser: Chooser = ANY_TOKENS
    disguise: Disguise = BERTS_DISGUISE
    mask_id: int = MASK_ID
    special_ids: tuple[int, ...] = SPECIAL_IDS

    @classmethod
    def of(
        cls, tokenizer: Tokenizer, chooser: Chooser = ANY_TOKENS, disguise: Disguise = BERTS_DISGUISE
    ) -> Masking:
        """Masking with the special tokens of a tokenizer."""
        if tokenizer.mask_id is None:
            raise ValueError(
                f"{tokenizer!r} has no token to hide a word with, like [MASK]; choose another one"
            )
        return cls(tokenizer.vocab_size, chooser, disguise, tokenizer.mask_id, tokenizer.special_ids)

    def __call__(
        self,
        ids: Array,
        k: int,
        rng: Chance,
        word_ids: Array | None = None,
        quota: Array | None = None,
        spared: Array | None = None,
    ) -> MaskedBatch:
        """Ask for k words of each sequence; ids (B, T) stay as they are, the batch has its own.

        A sequence with fewer than k words, or with a lower `quota` (B,), fills up with places of weight 0. Words that
        are `spared` (B, T) are not asked for.
        """
        if not 1 <= k <= ids.shape[1]:
            raise ValueError(f"k={k} words of {ids.shape[1]} tokens; choose k from 1 to {ids.shape[1]}")
        quota = np.full(len(ids), k) if quota is None else np.minimum(quota, k)
        is_word = self.is_word(ids) if spared is None else self.is_word(ids) & ~spared
        positions, asked = self.chooser.choose(is_word, quota, k, rng, word_ids)
        labels = np.take_along_axis(ids, positions, 1)
        masked = ids.copy()
        np.put_along_axis(masked, positions, np.where(asked, self.shown(labels, rng), labels), 1)
        return MaskedBatch(masked, positions, labels, weights=asked / max(asked.sum(), 1))

    def is_word(self, ids: Array) -> Array:
        """True where no special token stands."""
        if ids.size and not 0 <= ids.min() <= ids.max() < self.vocab_size:
            raise ValueError(
                f"ids from {ids.min()} to {ids.max()}, but vocab_size={self.vocab_size}; "
                "take the vocab_size of the tokenizer that made them"
            )
        return self.ordinary[ids]

    def shown(self, words: Array, rng: Chance) -> Array:
        return self.disguise.shown(words, rng, self.mask_id, np.flatnonzero(self.ordinary))

    @cached_property
    def ordinary(self) -> Array:
        """Which ids are words (V,)."""
        return ordinary_ids(self.vocab_size, (*self.special_ids, self.mask_id))


def ordinary_ids(vocab_size: int, special_ids: Iterable[int]) -> Array:
    """Which ids are words (V,), and no special tokens."""
    special = set(special_ids)
    if len(special) == vocab_size or not all(0 <= i < vocab_size for i in special):
        raise ValueError(
            f"special tokens {sorted(special)} in a vocabulary of {vocab_size}; "
            "they must be part of it, and leave words over"
        )
    ordinary = np.ones(vocab_size, bool)
    ordinary[list(special)] = False
    return ordinary


def mask_for_training(
    ids: Array, k: int, rng: Chance, vocab_size: int, *, hidden: float = 0.8, replaced: float = 0.1
) -> MaskedBatch:
    """The plain `Masking`, as in BERT: k single tokens of each sequence of ids (B, T)."""
    return Masking(vocab_size, disguise=Disguise(hidden, replaced))(ids, k, rng)


def mask_tokens(
    ids: Array,
    vocab_size: int,
    mask_token_id: int = MASK_ID,
    mask_prob: float = 0.15,
    rng: np.random.Generator | int | None = None,
    *,
    disguise: Disguise = BERTS_DISGUISE,
    special_ids: tuple[int, ...] | None = None,
) -> tuple[Array, Array, Array]:
    """The older guide's masking: (input_ids, target_ids, mask_positions), each shaped like ids (B, T).

    Each word is chosen with probability `mask_prob`, independently of the others, but at least one of each
    sequence that has words, so that there is always something to learn. Special tokens are never chosen: without
    `special_ids` they are taken to be 0 and the three before the mask, as in our vocabularies and in BERT's.
    `target_ids` are the original ids, `mask_positions` are True where a word was chosen. A generator or a
    seed makes it repeatable.

    >>> shown, words, asked = mask_tokens(np.array([[2, 11, 12, 13, 3]]), 20, 4, 0.15, rng=1)
    >>> shown.tolist(), words.tolist(), asked.astype(int).tolist()
    ([[2, 11, 4, 13, 3]], [[2, 11, 12, 13, 3]], [[0, 0, 1, 0, 0]])
    """
    if not 0 < mask_prob <= 1:
        raise ValueError(f"mask_prob={mask_prob}; choose more than 0 and at most 1, like 0.15")
    if special_ids is None:
        special_ids = (0, *range(max(0, mask_token_id - 3), mask_token_id))
    masking = Masking(vocab_size, disguise=disguise, mask_id=mask_token_id, special_ids=special_ids)
    rng = np.random.default_rng(rng)
    targets = np.array(ids)
    if targets.size == 0 or targets.dtype.kind not in "iu":
        raise ValueError(f"ids: expected token ids (B, T), got {targets.dtype} of shape {targets.shape}")
    is_word = masking.is_word(targets)
    lots = rng.random(targets.shape) + ~is_word
    chosen = is_word & (lots <= np.maximum(mask_prob, lots.min(axis=-1, keepdims=True)))
    return np.where(chosen, masking.shown(targets, rng), targets), targets, chosen
