"""Which words are in a text, whatever their order: how far that alone gets, a network must get further.

    baseline = BagOfWords.fit(training)         # examples with a text, perhaps a second one, and a label
    baseline.predict(others)                    # labels

A feature is a lower-cased word, or two in a row, that at least `MIN_COUNT` training texts have. Where it occurs,
however often, its value is ln(N / n) + 1, n of the N training texts having it (Spärck Jones 1972); then each row is
brought to length 1, so that long texts do not shout. Presence does as well as counts for sentences, and pairs of words
catch "not good" (Wang & Manning 2012); that rare words weigh more changes little in what is learned, but halves the
steps to it. A classifier is fitted for each C of a grid to nine tenths of the texts; the one that does best on the last
tenth is fitted again to all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import permutation
from mini_bert.data.tasks.examples import Labelled
from mini_bert.data.tasks.labels import label_numbers
from mini_bert.evaluation.logistic_regression import LogisticRegression
from mini_bert.evaluation.sparse_rows import SparseRows
from mini_bert.metrics.classification import accuracy

Merit = Callable[[Array, Array], float]
"""Of the classes that are right and those that were told."""
WORD = re.compile(r"\w*'\w+|\w+|[^\w\s]")
"""don't and 's are words; each other mark is one by itself."""
MIN_COUNT = 2
GRID = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
HELD_OUT = 10
PRECISION_TO_CHOOSE, PRECISION = 1e-2, 1e-3
"""Of the objective: beyond, hardly a prediction changes."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The features that count, by number, and what each weighs (D,)."""

    numbers: dict[str, int]
    weights: Array

    @classmethod
    def of(cls, texts: Sequence[set[str]]) -> Self:
        counts = Counter(feature for text in texts for feature in text)
        kept = sorted(feature for feature, count in counts.items() if count >= min(MIN_COUNT, len(texts)))
        texts_with = np.array([counts[feature] for feature in kept], np.float64)
        return cls(
            {feature: number for number, feature in enumerate(kept)}, np.log(len(texts) / texts_with) + 1
        )

    def rows(self, texts: Sequence[set[str]]) -> SparseRows:
        """(N, D), each row of length 1, or 0 where no feature is known."""
        known = [
            sorted(self.numbers[feature] for feature in text if feature in self.numbers) for text in texts
        ]
        weights = [self.weights[row] for row in known]
        return SparseRows.of(known, [row / np.sqrt(row @ row) for row in weights], len(self.numbers))


@dataclass(frozen=True, eq=False)
class BagOfWords:
    """A classifier over words; `C` is what was chosen, `held_out` the merit by which it was (nan: too few texts)."""

    vocabulary: Vocabulary
    names: tuple[str, ...]
    classifier: LogisticRegression
    C: float
    held_out: float

    @classmethod
    def fit(cls, examples: Sequence[Labelled], merit: Merit = accuracy, seed: int = 0) -> Self:
        """`seed` draws the tenth on which C is chosen, by the merit that the answers will be judged by."""
        labels, names = label_numbers([example.label for example in examples])
        texts = [features(example) for example in examples]
        vocabulary = Vocabulary.of(texts)
        X = vocabulary.rows(texts)
        C, held_out, start = chosen(X, labels, len(names), merit, seed)
        classifier = LogisticRegression.fit(
            X, labels, C, classes=len(names), start=start, precision=PRECISION
        )
        return cls(vocabulary, names, classifier, C, held_out)

    def predict(self, examples: Sequence[Labelled]) -> list[str]:
        """The label of each example; those that they have are not looked at."""
        X = self.vocabulary.rows([features(example) for example in examples])
        return [self.names[number] for number in self.classifier.predict(X).tolist()]


def features(example: Labelled) -> set[str]:
    """What occurs in the text; what occurs in the second one is marked, so that it can mean something else."""
    found = set(words_and_pairs(example.text))
    if example.pair is not None:
        found |= {f"2:{feature}" for feature in words_and_pairs(example.pair)}
    return found


def words_and_pairs(text: str) -> Iterator[str]:
    words = WORD.findall(text.lower())
    yield from words
    yield from map(" ".join, pairwise(words))


def chosen(
    X: SparseRows, labels: Array, classes: int, merit: Merit, seed: int
) -> tuple[float, float, LogisticRegression | None]:
    """The C that is best on a tenth of the texts, its merit there, and what it learned from the others.

    Where they are too few to leave a tenth out, C is 1.
    """
    order = permutation("bag of words", len(X), seed)
    held_out, learned = np.split(order, [len(X) // HELD_OUT])
    if not len(held_out) or len(np.unique(labels[learned])) < 2:
        return 1.0, float("nan"), None
    training, others = X.rows(learned), X.rows(held_out)
    found: LogisticRegression | None = None
    best: tuple[float, float, LogisticRegression | None] = (1.0, float("-inf"), None)
    for C in GRID:
        found = LogisticRegression.fit(
            training, labels[learned], C, classes=classes, start=found, precision=PRECISION_TO_CHOOSE
        )
        reached = merit(labels[held_out], found.predict(others))
        if reached > best[1]:
            best = C, reached, found
    return best
