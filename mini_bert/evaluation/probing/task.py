"""What a probe is asked: a label for each word of a sentence, or for each pair of words.

A task comes from annotated sentences in three parts: the probe learns from train, dev chooses the layer, and test gives
the score. Where there is no dev, a twentieth of train's sentences is drawn by lot and not learned from: 1,000 at most,
and of a small train 50, or a quarter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import permutation

Name = Literal["pos", "relations", "edges", "entities", "custom"]
Words = tuple[str, ...]
S = TypeVar("S")

DEV_SHARE, FEWEST_DEV, MOST_DEV = 20, 50, 1000
"""A twentieth of train; of a small train more, but no more than a quarter."""


class Annotated(NamedTuple):
    """A sentence and its labels, each of one word or of several: `places` (n, k) are their numbers, from 0."""

    words: Words
    places: Array
    labels: tuple[str, ...]


class Given(NamedTuple):
    """Annotated sentences, where they come from, and the `file:line` of a label in a part: where(part, i, label)."""

    source: str
    train: Sequence[Annotated]
    dev: Sequence[Annotated]
    test: Sequence[Annotated]
    where: Callable[[str, int, int], str] | None = None


@dataclass(frozen=True)
class Part:
    """N examples. `places` (N, k) are numbers of words, counted through all sentences; `labels` (N,) of classes."""

    sentences: tuple[Words, ...]
    places: Array
    labels: Array

    @property
    def starts(self) -> Array:
        """The number of each sentence's first word, and at the end that of all words."""
        return np.cumsum([0, *map(len, self.sentences)])

    @property
    def sentence_of(self) -> Array:
        """The sentence (N,) of each example."""
        found: Array = np.searchsorted(self.starts, self.places[:, 0], side="right") - 1
        return found

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Task:
    """A task ready to be probed. `known` is all that train had, before a dev part was split off."""

    name: Name
    source: str
    classes: tuple[str, ...]
    known: Part
    train: Part
    dev: Part
    test: Part
    dev_is_split: bool

    @property
    def is_tagging(self) -> bool:
        """Whether each word has one label; else pairs of words have."""
        return bool(self.test.places.shape[1] == 1)


def task_of(name: Name, given: Given, max_sentences: int | None = None, seed: int = 0) -> Task:
    """The task, cut down to so many sentences of train, drawn by lot, and no more of dev and of test.

    The classes are those of train, all of it: another label in dev or test is an error, for no probe could tell it.
    """
    classes = tuple(sorted({label for sentence in given.train for label in sentence.labels}))
    for part, sentences in (("train", given.train), ("test", given.test)):
        if not any(sentence.labels for sentence in sentences):
            raise ValueError(f"{given.source}: the {part} part has no labels; a probe needs some in each")
    check_labels(given, classes)
    if len(classes) < 2:
        raise ValueError(
            f"{given.source}: all labels of train are {classes[0]!r}; there is nothing to tell apart"
        )
    train, dev, test = (
        drawn(sentences, max_sentences, part, seed)
        for part, sentences in (("train", given.train), ("dev", given.dev), ("test", given.test))
    )
    known, is_split = train, not dev
    if is_split:
        train, dev = split(train, given.source, seed)
    task = Task(
        name,
        given.source,
        classes,
        known=part_of(known, classes),
        train=part_of(train, classes),
        dev=part_of(dev, classes),
        test=part_of(test, classes),
        dev_is_split=is_split,
    )
    for told, part_made in (("train", task.train), ("dev", task.dev), ("test", task.test)):
        if not len(part_made):
            raise ValueError(
                f"{given.source}: no label is left in the {told} part; take more sentences"
                + (", or name a dev file" if is_split else "")
            )
    return task


def check_labels(given: Given, classes: Sequence[str]) -> None:
    known = set(classes)
    for part, sentences in (("dev", given.dev), ("test", given.test)):
        for i, sentence in enumerate(sentences):
            for j, label in enumerate(sentence.labels):
                if label not in known:
                    place = given.where(part, i, j) if given.where else f"{given.source}, {part} part"
                    raise ValueError(
                        f"{place}: label {label!r} does not occur in train, so no probe can know it; train has "
                        f"{', '.join(classes[:20])}{' ...' if len(classes) > 20 else ''}"
                    )


def drawn(sentences: Sequence[S], most: int | None, part: str, seed: int) -> Sequence[S]:
    """So many of them, by lot, in the order they had."""
    if most is None or len(sentences) <= most:
        return sentences
    chosen = permutation(f"probe sentences of {part}", len(sentences), seed)[:most]
    return [sentences[i] for i in sorted(chosen.tolist())]


def split(train: Sequence[S], source: str, seed: int) -> tuple[Sequence[S], Sequence[S]]:
    """Train without its dev part, and that."""
    if len(train) < 2:
        raise ValueError(
            f"{source}: one sentence cannot be split into train and dev; give more, or a dev file"
        )
    size = min(MOST_DEV, max(len(train) // DEV_SHARE, min(FEWEST_DEV, len(train) // 4), 1))
    held_out = set(permutation("probe dev", len(train), seed)[:size].tolist())
    return (
        [sentence for i, sentence in enumerate(train) if i not in held_out],
        [sentence for i, sentence in enumerate(train) if i in held_out],
    )


def part_of(sentences: Sequence[Annotated], classes: Sequence[str]) -> Part:
    numbers = {name: number for number, name in enumerate(classes)}
    places, start = [np.empty((0, 1), np.int64)], 0
    for sentence in sentences:
        if len(sentence.labels):
            places.append(sentence.places + start)
        start += len(sentence.words)
    return Part(
        tuple(sentence.words for sentence in sentences),
        np.concatenate(places[1:] or places),
        np.array([numbers[label] for sentence in sentences for label in sentence.labels], np.int64),
    )
