"""Sentences with their dependency trees, in three parts: to learn from, to choose the layer by, to be judged by.

Without a file to choose by, a twentieth of the sentences to learn from, 1,000 at most, is set apart by lot. A treebank
that comes with train and dev only, as UD English EWT may, is judged by dev and chooses by such a part. Sentences of one
word are left out: they have no edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Self

from mini_bert.core.chance import permutation
from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.data.world import Sentence, stories
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.probing.sources import WORLD, WORLD_SEEDS, WORLD_SHARES, Files
from mini_bert.evaluation.probing.task import DEV_SHARE, MOST_DEV
from mini_bert.evaluation.task_folder import TaskFolder

Trees = list[DependencySentence]


@dataclass(frozen=True)
class Treebank:
    """`source` says where the sentences are from."""

    source: str
    train: Trees
    dev: Trees
    test: Trees

    @classmethod
    def of_world(cls, sentences: int) -> Self:
        """Stories of three seeds, none of which a model has learned from; test has no sentence that train has."""
        train, dev, test = (
            of_two_words(world_trees(seed, max(2, round(WORLD_SHARES[part] * sentences))))
            for part, seed in WORLD_SEEDS.items()
        )
        seen = {sentence.words for sentence in train}
        return cls(WORLD, train, dev, [sentence for sentence in test if sentence.words not in seen])

    @classmethod
    def read(cls, files: Files, seed: int = 0) -> Self:
        """From CoNLL-U files."""
        found = {part: read_trees(path) for part, path in files.parts()}
        train, dev = found["train"], found.get("dev")
        if dev is None:
            train, dev = set_apart(train, files.train, seed)
        return cls(files.told, train, dev, found["test"])

    def limited(self, sentences: int | None) -> Self:
        """With at most so many sentences in each part."""
        if sentences is None:
            return self
        return replace(
            self, train=self.train[:sentences], dev=self.dev[:sentences], test=self.test[:sentences]
        )

    @property
    def words(self) -> int:
        return sum(len(sentence.words) for part in (self.train, self.dev, self.test) for sentence in part)


def treebank_files(tasks: TaskFolder) -> Files:
    """Those of UD English EWT, or of whatever treebank stands in its place."""
    train, dev, test = (tasks.split("ud_ewt", part) for part in ("train", "dev", "test"))
    if train is None or (dev is None and test is None):
        raise DoesNotApply(
            f"{tasks.path}: no ud_ewt with a train file and one of dev and test, in CoNLL-U; distances of words in "
            "trees cannot be probed without"
        )
    if test is None:
        assert dev is not None
        return Files(train, dev)
    return Files(train, test, dev)


def world_trees(seed: int, count: int) -> Trees:
    """The first sentences of a seed's stories."""
    told = (sentence for story in stories(seed) for sentence in story.sentences)
    return [tree_of(sentence) for sentence in islice(told, count)]


def tree_of(sentence: Sentence) -> DependencySentence:
    words, upos, heads, relations, _, _, spaces, _, _ = zip(*sentence.tokens, strict=True)
    return DependencySentence(words, upos, heads, relations, spaces, sentence.text)


def read_trees(path: Path) -> Trees:
    found = of_two_words(read_conllu(path))
    if not found:
        raise ValueError(f"{path}: no sentence of two words or more; give a treebank in CoNLL-U")
    return found


def of_two_words(sentences: Sequence[DependencySentence]) -> Trees:
    return [sentence for sentence in sentences if len(sentence.words) > 1]


def set_apart(train: Trees, path: Path, seed: int) -> tuple[Trees, Trees]:
    """Those to learn from, and those to choose by."""
    if len(train) < 2:
        raise ValueError(
            f"{path}: one sentence cannot be split into some to learn from and some to choose the layer by; give more, "
            "or a dev file"
        )
    size = min(MOST_DEV, max(1, len(train) // DEV_SHARE))
    held_out = set(permutation("probe dev", len(train), seed)[:size].tolist())
    return (
        [sentence for i, sentence in enumerate(train) if i not in held_out],
        [sentence for i, sentence in enumerate(train) if i in held_out],
    )
