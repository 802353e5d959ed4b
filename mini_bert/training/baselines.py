"""How a method without a model is examined, and the simplest one: to guess by how often words occur.

words = WordFrequencies.of(rows, tokenizer)          # rows of the text that the model learned from
score(words, exam)                                   # the exam of the model: same text, same hidden places
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Rows
from mini_bert.metrics.perplexity import perplexity_of_loss
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.training.masking import ordinary_ids
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
    return Score(loss, found, perplexity_of_loss(loss))


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
        is_word = ordinary_ids(tokenizer.vocab_size, tokenizer.special_ids)
        smoothed = np.where(is_word, counts + 1, 0)
        return cls(smoothed / smoothed.sum())

    @property
    def most_frequent(self) -> int:
        return int(self.probs.argmax())

    def __call__(self, left: Array, right: Array) -> Array:
        return np.broadcast_to(self.probs, (len(left), len(self.probs)))


def epoch(rows: Rows, most: int | None = None) -> Iterator[Array]:
    """Every row of the first epoch once, some at a time; or only so many of them."""
    count = min(most or rows.rows_per_epoch, rows.rows_per_epoch)
    for first in range(0, count, ROWS_AT_ONCE):
        yield rows.take(first, min(ROWS_AT_ONCE, count - first))
