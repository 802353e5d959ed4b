"""Do heads look along dependencies? (Clark et al. 2019)

For each relation and head of attention: how often is the word that a word looks at most the one it hangs on, or the one
that hangs on it? Attention to a word is the sum over its pieces, attention from it the mean; special tokens and the
word itself are left out. What knows nothing but order looks always so many words away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.alignment import WordSpans
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.evaluation.estimate import Estimate, share

TO_HEAD, TO_DEPENDENT = DIRECTIONS = ("to its head", "to its dependent")
LEFT_OUT = frozenset({"root", "punct"})
FEWEST = 20
"""Cases of a relation in each half, under which it is not judged."""


class RelationScore(NamedTuple):
    """The head that follows a relation best, chosen on one half of the sentences and judged on the other.

    `baseline` looks always `offset` words on (negative: back), chosen and judged likewise. `cases` were judged.
    """

    relation: str
    direction: str
    layer: int
    head: int
    accuracy: Estimate
    offset: int
    baseline: Estimate
    cases: int


class RelationCounts:
    """Counts over sentences, in two halves: every second sentence is in the other half."""

    def __init__(self, layers: int, heads: int) -> None:
        self.shape = (2, layers, heads)
        self.hits: dict[str, Array] = {}
        self.cases: dict[str, Array] = {}
        self.offsets: dict[str, list[Counter[int]]] = {}

    def add(self, most: Array, sentence: DependencySentence, half: int) -> None:
        """most (L, A, W): the word that each word looks at most. Words that were cut off are left out."""
        W = most.shape[-1]
        for word, (above, name) in enumerate(zip(sentence.heads, sentence.relations, strict=True)):
            head, relation = above - 1, name.split(":")[0]
            if relation in LEFT_OUT or head < 0 or max(word, head) >= W:
                continue
            if relation not in self.hits:
                self.hits[relation] = np.zeros((2, *self.shape), np.int64)  # half, direction, layer, head
                self.cases[relation] = np.zeros(2, np.int64)
                self.offsets[relation] = [Counter(), Counter()]
            self.hits[relation][half, 0] += most[..., word] == head
            self.hits[relation][half, 1] += most[..., head] == word
            self.cases[relation][half] += 1
            self.offsets[relation][half][head - word] += 1

    @property
    def relations(self) -> list[str]:
        """Those with cases enough in both halves, the most frequent first."""
        enough = [name for name, cases in self.cases.items() if cases.min() >= FEWEST]
        return sorted(enough, key=lambda name: (-int(self.cases[name].sum()), name))

    def accuracy(self, relation: str) -> Array:
        """(2, L, A): towards the head and towards the dependent, over all sentences"""
        found: Array = self.hits[relation].sum(0) / self.cases[relation].sum()
        return found

    def baseline(self, relation: str) -> float:
        """The share of cases with the most frequent offset, over all sentences."""
        first, second = self.offsets[relation]
        return max((first + second).values()) / int(self.cases[relation].sum())

    def best(self, relation: str) -> RelationScore:
        """Chosen on the first half, judged on the second."""
        hits, cases = self.hits[relation], self.cases[relation].tolist()
        direction, layer, head = np.unravel_index(hits[0].argmax(), hits[0].shape)
        offset = max(self.offsets[relation][0].items(), key=lambda item: (item[1], -abs(item[0])))[0]
        return RelationScore(
            relation,
            DIRECTIONS[int(direction)],
            int(layer),
            int(head),
            share(int(hits[1, direction, layer, head]), cases[1]),
            -offset if direction else offset,
            share(self.offsets[relation][1][offset], cases[1]),
            cases[1],
        )


def most_attended(weights: Array, spans: WordSpans) -> Array:
    """The other word that each word looks at most: weights (L, A, T, T) between pieces → (L, A, W)"""
    words = between_words(weights, spans)
    W = words.shape[-1]
    words[..., np.arange(W), np.arange(W)] = -np.inf
    most: Array = words.argmax(-1)
    return most


def between_words(weights: Array, spans: WordSpans) -> Array:
    """(L, A, W, W): attention to all pieces of a word, the mean over the pieces of the one that looks"""
    pieces, starts = spans.pieces, spans.starts
    kept = weights[..., pieces[:, None], pieces]
    to_words = np.add.reduceat(kept, starts, axis=-1)
    sums: Array = np.add.reduceat(to_words, starts, axis=-2)
    sums /= spans.sizes.astype(sums.dtype)[:, None]
    return sums


def judged(counts: RelationCounts, relations: Sequence[str]) -> tuple[RelationScore, ...]:
    return tuple(counts.best(relation) for relation in relations)
