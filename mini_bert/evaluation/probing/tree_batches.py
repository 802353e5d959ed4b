"""Trees of similar size side by side, so that thousands are read in a few large steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.evaluation.probing.trees import NO_HEAD, tree_distances

WORDS_AT_ONCE = 1024
PUNCTUATION = "PUNCT"


@dataclass(frozen=True)
class TreeBatch:
    """B sentences filled up to T words; `sentences` (B,) are their numbers in the treebank.

    `places` (B, T) are the numbers of their words among all words, `words` marks what is no filling, `content` what is
    no punctuation either. `weights` (B, T, T) of the pairs of a sentence of n words are 1/n², so that they add up to 1.
    """

    sentences: Array
    places: Array
    words: Array
    content: Array
    heads: Array
    distances: Array
    weights: Array

    def __len__(self) -> int:
        return len(self.words)


def tree_batches(sentences: Sequence[DependencySentence], at_once: int = WORDS_AT_ONCE) -> list[TreeBatch]:
    """All sentences, the shortest first, about `at_once` words to a batch."""
    starts = np.cumsum([0, *(len(sentence.words) for sentence in sentences)])
    return [batch(group, sentences, starts) for group in by_length(sentences, at_once)]


def by_length(sentences: Sequence[DependencySentence], at_once: int) -> Iterator[list[int]]:
    """Numbers of sentences of similar length."""
    group: list[int] = []
    for number in sorted(range(len(sentences)), key=lambda number: len(sentences[number].words)):
        if group and (len(group) + 1) * len(sentences[number].words) > at_once:
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def batch(group: Sequence[int], sentences: Sequence[DependencySentence], starts: Array) -> TreeBatch:
    lengths = np.array([len(sentences[number].words) for number in group])
    B, T = len(group), int(lengths.max())
    words = np.arange(T) < lengths[:, None]
    heads, content = np.full((B, T), NO_HEAD), np.zeros((B, T), bool)
    for row, number in enumerate(group):
        sentence = sentences[number]
        heads[row, : lengths[row]] = np.array(sentence.heads) - 1
        content[row, : lengths[row]] = [upos != PUNCTUATION for upos in sentence.upos]
    pairs = words[:, :, None] & words[:, None, :]
    return TreeBatch(
        sentences=np.array(group),
        places=np.where(words, starts[list(group)][:, None] + np.arange(T), 0),
        words=words,
        content=content,
        heads=heads,
        distances=tree_distances(heads),
        weights=(pairs / np.square(lengths, dtype=np.float32)[:, None, None]).astype(np.float32),
    )
