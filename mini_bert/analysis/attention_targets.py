"""What pieces look at: one or two before or after, themselves, [CLS], [SEP], the same word elsewhere, punctuation."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.tokenizers.tokenizer import Tokenizer

TARGETS = (
    "previous",
    "next",
    "two before",
    "two after",
    "itself",
    "opening",
    "closing",
    "same word",
    "punctuation",
)
WORTH_A_NAME, BROAD = 0.1, 0.75
"""How far above its baseline a score is that names a head, and the relative entropy from which one is called broad."""
MARKS_OF_PIECES = ("##", "▁", "Ġ")


class Looks(NamedTuple):
    """Attention that goes to each of the targets, summed over the pieces that ask, and how many asked.

    `sums` (R, L, A), `even` (R,): what a head that looks alike at all it may see would give, and `asking` (R,): how
    many pieces could look there at all. Those of several texts add up.
    """

    sums: Array
    even: Array
    asking: Array

    def plus(self, other: Looks) -> Looks:
        return Looks(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def shares(self) -> Array:
        """(R, L, A): the mean share of a piece's attention that goes there; nan where none could"""
        found: Array = self.sums / self.safe_count[:, None, None]
        return found

    @property
    def baseline(self) -> Array:
        """(R,): the same of a head that looks everywhere alike"""
        found: Array = self.even / self.safe_count
        return found

    @property
    def safe_count(self) -> Array:
        return np.where(self.asking > 0, self.asking, np.nan)


def looks(weights: Array, ids: Array, tokenizer: Tokenizer, causal: bool) -> Looks:
    """Of one text: weights (L, A, T, T), ids (T,). Special tokens are looked at, but what they look at does not count.

    A piece asks for a target only where there is one: the first has none before it, few have a twin.
    """
    T = len(ids)
    special = np.isin(ids, tokenizer.special_ids)
    who = ~special if not special.all() else np.ones(T, bool)
    visible = np.tri(T, dtype=bool) if causal else np.ones((T, T), bool)
    there = targets(ids, tokenizer) & visible & who[:, None]  # (R, T, T)
    asking = there.any(-1)  # (R, T)
    even = (there / visible.sum(-1, keepdims=True)).sum((1, 2))
    sums = np.einsum("latj,rtj->rla", weights, there.astype(weights.dtype), optimize=True)
    return Looks(sums.astype(np.float64), even, asking.sum(1))


class Named(NamedTuple):
    """What something does, how far it does it, and how far anything would."""

    role: str
    score: float
    baseline: float


def most_above(known: Iterable[Named], entropy: float) -> Named:
    """The one that is furthest above its baseline; where none is by a tenth, `broad` or `mixed`, with nan."""
    finite = [one for one in known if np.isfinite(one.score)]
    best = max(finite, key=lambda one: one.score - one.baseline, default=None)
    if best is None or best.score - best.baseline < WORTH_A_NAME:
        return Named("broad" if entropy >= BROAD else "mixed", np.nan, np.nan)
    return best


def targets(ids: Array, tokenizer: Tokenizer) -> Array:
    """(R, T, T): is piece j that target of piece i?"""
    T, roles = len(ids), tokenizer.roles
    pieces = [tokenizer.id_to_token[int(one)] for one in ids]
    opening, closing = (
        np.array([piece == name for piece in pieces]) for name in (roles.cls or "", roles.sep or "")
    )
    if not opening.any():
        opening[0] = True  # without a special token, the first piece is where idle heads look
    special = np.isin(ids, tokenizer.special_ids)
    twins = (ids[:, None] == ids) & ~np.eye(T, dtype=bool) & ~special
    marks = np.array([is_punctuation(piece) for piece in pieces]) & ~special
    every = np.ones((T, 1), bool)
    return np.stack(
        [
            np.eye(T, k=-1, dtype=bool),
            np.eye(T, k=1, dtype=bool),
            np.eye(T, k=-2, dtype=bool),
            np.eye(T, k=2, dtype=bool),
            np.eye(T, dtype=bool),
            every & opening,
            every & closing,
            twins,
            every & marks,
        ]
    )


def is_punctuation(piece: str) -> bool:
    """
    >>> is_punctuation("."), is_punctuation("##!?"), is_punctuation("a."), is_punctuation("Ġ")
    (True, True, False, False)
    """
    for mark in MARKS_OF_PIECES:
        piece = piece.removeprefix(mark)
    return bool(piece) and all(unicodedata.category(letter).startswith("P") for letter in piece)


def names_of_targets(tokenizer: Tokenizer) -> Sequence[str]:
    """As a reader knows them: [CLS] and [SEP], or what opens and closes a text in this vocabulary."""
    own = {"opening": tokenizer.roles.cls or "first piece", "closing": tokenizer.roles.sep or "closing"}
    return [own.get(name, name) for name in TARGETS]
