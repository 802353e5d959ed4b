"""What can be said of a hidden word without a model: by how often words occur, and by the two words beside it.

    words = WordFrequencies.of(rows, tokenizer)          # rows of the text that the model learned from
    neighbours = NeighbourCounts.of(rows, tokenizer)
    score(neighbours, exam)                              # the exam of the model: same text, same hidden places

Both see what the model sees: a neighbour that is hidden too tells them nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from typing import Protocol, Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Rows
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import Masking
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.validation import Score

ROWS_AT_ONCE = 4096
QUESTIONS_AT_ONCE = 256


class Baseline(Protocol):
    """Probabilities (n, V) of n hidden words, of which the ids to the left and to the right (n,) are seen."""

    def __call__(self, left: Array, right: Array) -> Array: ...


def score(baseline: Baseline, exam: MaskedBatch) -> Score:
    """How well a baseline does in the exam of a model."""
    edged = np.pad(exam.ids, ((0, 0), (1, 1)), mode="edge")
    left = np.take_along_axis(edged, exam.positions, 1).ravel()
    right = np.take_along_axis(edged, exam.positions + 2, 1).ravel()
    labels, weights = exam.labels.ravel(), exam.weights.ravel()
    loss = found = 0.0
    for start in range(0, len(labels), QUESTIONS_AT_ONCE):
        at = slice(start, start + QUESTIONS_AT_ONCE)
        asked = np.flatnonzero(weights[at]) + start
        probs = baseline(left[asked], right[asked])
        of_the_word = np.take_along_axis(probs, labels[asked, None], 1)[:, 0]
        loss -= float((np.log(of_the_word) * weights[asked]).sum())
        found += float(((probs.argmax(1) == labels[asked]) * weights[asked]).sum())
    return Score(loss, found, exp(min(loss, 700.0)))


@dataclass(frozen=True)
class WordFrequencies:
    """p(w) = (count(w) + 1) / Σ: the same for every hidden word."""

    probs: Array

    @classmethod
    def of(cls, rows: Rows, tokenizer: Tokenizer) -> Self:
        counts = np.zeros(tokenizer.vocab_size)
        for ids in epoch(rows):
            counts += np.bincount(ids.ravel(), minlength=len(counts))
        return cls.counted(counts, tokenizer)

    @classmethod
    def counted(cls, counts: Array, tokenizer: Tokenizer) -> Self:
        """From how often each id occurs (V,); special tokens are no words."""
        smoothed = np.where(Masking.of(tokenizer).ordinary, counts + 1, 0)
        return cls(smoothed / smoothed.sum())

    @property
    def most_frequent(self) -> int:
        return int(self.probs.argmax())

    def __call__(self, left: Array, right: Array) -> Array:
        return np.broadcast_to(self.probs, (len(left), len(self.probs)))


@dataclass(frozen=True)
class ContextCounts:
    """How often each word was seen in each context; both are numbers."""

    keys: Array
    counts: Array
    vocab_size: int

    @classmethod
    def of(cls, contexts: Array, words: Array, vocab_size: int) -> Self:
        keys, counts = np.unique(contexts * vocab_size + words, return_counts=True)
        return cls(keys, counts, vocab_size)

    def mixed(self, context: int, prior: Array, trust: float) -> Array:
        """p(w | context) = (count(w) + trust · prior(w)) / (Σ count + trust): the prior alone if it was never seen"""
        first, last = np.searchsorted(self.keys, [context * self.vocab_size, (context + 1) * self.vocab_size])
        counts = self.counts[first:last]
        probs: Array = trust * prior
        probs[self.keys[first:last] - context * self.vocab_size] += counts
        probs /= counts.sum() + trust
        return probs


@dataclass(frozen=True)
class NeighbourCounts:
    """p(w | l, r) = (count(l w r) + β q(w)) / (count(l · r) + β),   q(w) ∝ p(w | l) p(w | r) / p(w)

    p(w | l) = (count(l w) + α p(w)) / (count(l ·) + α), and p(w | r) alike: counts where there are many, else what
    each neighbour says by itself, else how often a word occurs (MacKay & Peto 1995). A hidden neighbour is a context
    that was never seen.
    """

    words: WordFrequencies
    after: ContextCounts
    before: ContextCounts
    between: ContextCounts
    alpha: float = 30.0
    beta: float = 2.0

    @classmethod
    def of(cls, rows: Rows, tokenizer: Tokenizer) -> Self:
        V, ordinary = tokenizer.vocab_size, Masking.of(tokenizer).ordinary
        parts = []
        for ids in epoch(rows):
            triples = np.stack([ids[:, :-2], ids[:, 1:-1], ids[:, 2:]]).reshape(3, -1)
            parts.append(triples[:, ordinary[triples[1]]])
        left, word, right = np.concatenate(parts, axis=1)
        return cls(
            WordFrequencies.of(rows, tokenizer),
            after=ContextCounts.of(left, word, V),
            before=ContextCounts.of(right, word, V),
            between=ContextCounts.of(left * V + right, word, V),
        )

    def __call__(self, left: Array, right: Array) -> Array:
        return np.stack([self.between_two(*pair) for pair in zip(left.tolist(), right.tolist(), strict=True)])

    def between_two(self, left: int, right: int) -> Array:
        """p(w | left, right), (V,)"""
        p = self.words.probs
        by_either = self.after.mixed(left, p, self.alpha) * self.before.mixed(right, p, self.alpha)
        by_either /= np.maximum(p, np.finfo(p.dtype).tiny)  # special tokens: 0 / 0
        return self.between.mixed(left * len(p) + right, by_either / by_either.sum(), self.beta)


def epoch(rows: Rows) -> Iterator[Array]:
    """Every row once, some at a time."""
    for first in range(0, rows.rows_per_epoch, ROWS_AT_ONCE):
        yield rows.take(first, min(ROWS_AT_ONCE, rows.rows_per_epoch - first))
