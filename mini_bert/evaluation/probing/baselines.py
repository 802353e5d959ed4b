"""What a probe must beat: labels told from the words alone, without any model.

Per-word majority: a word gets the label it had most often in train (the one seen first if several were), and a word
that train does not have gets the most frequent label of all. Words are compared in lower case.

| task | majority over | then over |
| --- | --- | --- |
| one label per word | the word | |
| relations | the word and its head | the word |
| edges | the word, the other one and how far behind it stands | the word and how far; how far |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.probing.task import Part, Task

Label = TypeVar("Label", int, str)
FARTHEST = 10
"""Distances from here on are held for equal."""


def majority(task: Task) -> Array:
    """The labels (N,) of test by per-word majority."""
    found = np.full(len(task.test), most_frequent_label(task))
    known, asked = keys(task, task.known), keys(task, task.test)
    for seen, wanted in zip(
        reversed(known), reversed(asked), strict=True
    ):  # the most specific one has the last word
        choice = usual_labels(seen, task.known.labels.tolist())
        found = np.array([choice.get(key, label) for key, label in zip(wanted, found.tolist(), strict=True)])
    return found


def usual_labels(seen: Sequence[Hashable], labels: Sequence[Label]) -> dict[Hashable, Label]:
    """The label that each key has most often, the first one of several."""
    return {key: counts.most_common(1)[0][0] for key, counts in counted(seen, labels).items()}


def most_frequent(task: Task) -> Array:
    return np.full(len(task.test), most_frequent_label(task))


def most_frequent_label(task: Task) -> int:
    return int(Counter(task.known.labels.tolist()).most_common(1)[0][0])


def ambiguous(task: Task) -> Array:
    """Which examples (N,) of test are of words, or pairs of words, that have several labels in train."""
    labels = counted(words_at(task.known), task.known.labels.tolist())
    return np.array([len(labels.get(key, ())) > 1 for key in words_at(task.test)])


def unseen(task: Task) -> Array:
    """Which examples (N,) of test are of words, or pairs of words, that train does not have."""
    seen = set(words_at(task.known))
    return np.array([key not in seen for key in words_at(task.test)])


def counted(seen: Sequence[Hashable], labels: Sequence[Label]) -> dict[Hashable, Counter[Label]]:
    """How often each key has each label, labels in the order in which they came."""
    found: dict[Hashable, Counter[Label]] = {}
    for key, label in zip(seen, labels, strict=True):
        if key not in found:
            found[key] = Counter()
        found[key][label] += 1
    return found


def keys(task: Task, part: Part) -> list[list[Hashable]]:
    """What majorities are taken over, the most specific first: for each a key of every example."""
    pairs = words_at(part)
    if task.is_tagging:
        return [pairs]
    if task.name == "relations":
        return [pairs, [pair[0] for pair in pairs]]  # type: ignore[index]
    far = np.clip(part.places[:, 1] - part.places[:, 0], -FARTHEST, FARTHEST).tolist()
    words = [pair[0] for pair in pairs]  # type: ignore[index]
    return [list(zip(pairs, far, strict=True)), list(zip(words, far, strict=True)), far]


def words_at(part: Part) -> list[Hashable]:
    """The word of each example, or the words, in lower case."""
    words = [word.lower() for sentence in part.sentences for word in sentence]
    return [tuple(words[i] for i in row) for row in part.places.tolist()]
