"""Sentences with their dependency trees, in three parts: to learn from, to choose the layer by, to be judged by.

Without a file to choose by, some of the sentences to learn from are set apart by lot, as for other probes. Sentences of
one word are left out: they have no edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.evaluation.probing.sources import WORLD, Files, tree, world_parts
from mini_bert.evaluation.probing.task import drawn, split

Trees = Sequence[DependencySentence]


@dataclass(frozen=True)
class Treebank:
    """`source` says where the sentences are from."""

    source: str
    train: Trees
    dev: Trees
    test: Trees

    @classmethod
    def of_world(cls, sentences: int) -> Self:
        parts = world_parts(sentences)
        return cls(WORLD, **{part: of_two_words(map(tree, told)) for part, told in parts.items()})

    @classmethod
    def read(cls, files: Files, seed: int = 0) -> Self:
        """From CoNLL-U files."""
        found = {part: read_trees(path) for part, path in files.parts()}
        train, dev = found["train"], found.get("dev")
        if dev is None:
            train, dev = split(train, str(files.train), seed)
        return cls(files.told, train, dev, found["test"])

    def limited(self, sentences: int | None, seed: int = 0) -> Self:
        """With at most so many sentences in each part, drawn by lot."""
        return replace(
            self,
            train=drawn(self.train, sentences, "train", seed),
            dev=drawn(self.dev, sentences, "dev", seed),
            test=drawn(self.test, sentences, "test", seed),
        )


def read_trees(path: Path) -> Trees:
    found = of_two_words(read_conllu(path))
    if not found:
        raise ValueError(f"{path}: no sentence of two words or more; give a treebank in CoNLL-U")
    return found


def of_two_words(sentences: Iterable[DependencySentence]) -> Trees:
    return [sentence for sentence in sentences if len(sentence.words) > 1]
