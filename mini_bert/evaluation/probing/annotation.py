"""Labels for words and pairs of words, read off a tree or off entity tags.

| task | an example | its label |
| --- | --- | --- |
| pos | a word | its universal part of speech |
| relations | a word and its head | the relation between them, subtypes (after the colon) cut off |
| edges | a word and another word of its sentence | whether the second is the first one's head |
| entities | a word | its IOB2 tag |

The root of a sentence has no head, so no relation and no edge. For edges a coin is thrown for each word with a head,
in sentences of three words and more: heads, the pair is the word and its head; tails, the word and one of the others,
each as likely. So about half of the pairs are edges, and every word is asked about once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform
from mini_bert.data.tasks.examples import DependencySentence, TaggedSentence
from mini_bert.evaluation.probing.task import Annotated, Name

HEAD, NO_HEAD = "head", "other"


def parts_of_speech(sentence: DependencySentence) -> Annotated:
    return Annotated(sentence.words, each_word(len(sentence.words)), sentence.upos)


def relations(sentence: DependencySentence) -> Annotated:
    has_head = [i for i, head in enumerate(sentence.heads) if head]
    return Annotated(
        sentence.words,
        np.array([(i, sentence.heads[i] - 1) for i in has_head], np.int64).reshape(-1, 2),
        tuple(sentence.relations[i].partition(":")[0] for i in has_head),
    )


def edges(sentence: DependencySentence, chance: Sequence[float]) -> Annotated:
    """`chance` has two numbers from 0 to 1 for each word: the coin, and which other word."""
    n = len(sentence.words)
    pairs: list[tuple[int, int]] = []
    labels: list[str] = []
    for i, head in enumerate(sentence.heads):
        if head and n > 2:
            is_edge = chance[2 * i] < 0.5
            other = int(chance[2 * i + 1] * (n - 2))
            for taken in sorted((i, head - 1)):
                other += other >= taken
            pairs.append((i, head - 1 if is_edge else other))
            labels.append(HEAD if is_edge else NO_HEAD)
    return Annotated(sentence.words, np.array(pairs, np.int64).reshape(-1, 2), tuple(labels))


def coins(sentences: Iterable[Sequence[str]], purpose: str, seed: int) -> Iterator[list[float]]:
    """Two numbers from 0 to 1 for each word of each sentence."""
    sizes = [len(words) for words in sentences]
    chance = uniform(streams(purpose, seed), 0, 2 * sum(sizes))[0].tolist()
    start = 0
    for size in sizes:
        yield chance[start : start + 2 * size]
        start += 2 * size


def entity_tags(sentence: TaggedSentence) -> Annotated:
    return Annotated(sentence.words, each_word(len(sentence.words)), sentence.tags)


def annotated(name: Name, part: str, sentences: Sequence[DependencySentence], seed: int) -> list[Annotated]:
    """Sentences of a treebank, labelled for a task."""
    if name == "pos":
        return [parts_of_speech(sentence) for sentence in sentences]
    if name == "relations":
        return [relations(sentence) for sentence in sentences]
    assert name == "edges", name
    chances = coins((sentence.words for sentence in sentences), f"edges of {part}", seed)
    return [edges(sentence, chance) for sentence, chance in zip(sentences, chances, strict=True)]


def each_word(n: int) -> Array:
    """(n, 1)"""
    return np.arange(n)[:, None]
