"""A vector for each word of a list, by itself: from the table of words, and from every layer.

`static` is the word's row of the table that the model reads, before anything is done to it; `alone` its state when it
is the only word between the special tokens; `in text` the mean of its states wherever it occurs in some sentences. A
word of several pieces is the mean of them. From all vectors the mean is taken away: it says nothing of any word, and
with it all cosines are near one (Mu & Viswanath 2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.conllu import read_conllu
from mini_bert.data.world import stories
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.task_folder import TaskFolder
from mini_bert.evaluation.word_states import word_states
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

STATIC, ALONE, IN_TEXT = "static", "alone", "in text"
SENTENCES_AT_ONCE = 500


class WordVectors(NamedTuple):
    """Unit vectors (layers, W, H) of W words; those that are not known (W,) mean nothing."""

    name: str
    layers: Array
    is_known: Array


def word_vectors(
    subject: Subject,
    words: Sequence[str],
    sentences: Sequence[Sequence[str]] = (),
    report: Report = silent,
) -> list[WordVectors]:
    """Static vectors, those of words alone, and those in text if sentences are given."""
    pieces = pieces_of(words, subject.tokenizer)
    unknown = subject.tokenizer.unk_id
    is_known = np.array([bool(ids) and unknown not in ids for ids in pieces])
    table = subject.model.token_embeddings
    static = np.stack([table[list(ids)].mean(0) if ids else np.zeros_like(table[0]) for ids in pieces])
    alone = word_states(subject, [[word] for word in words], report=part(report, 0.0, 0.3)).layers
    found = [
        WordVectors(STATIC, unit(static[None], is_known), is_known),
        WordVectors(ALONE, unit(alone, is_known), is_known),
    ]
    if sentences:
        means, counts = mean_in_text(subject, words, sentences, part(report, 0.3, 1.0))
        occurs = is_known & (counts > 0)
        found.append(WordVectors(IN_TEXT, unit(means, occurs), occurs))
    return found


def pieces_of(words: Iterable[str], tokenizer: Tokenizer) -> list[tuple[int, ...]]:
    """The pieces of each word as it stands behind another."""
    before = tokenizer.piece_ids("the")
    return [tuple(tokenizer.piece_ids(f"the {word}")[len(before) :]) for word in words]


def unit(vectors: Array, is_known: Array) -> Array:
    """Vectors (layers, W, H) without the mean of the known ones, one long."""
    if not is_known.any():
        return np.zeros_like(vectors)
    centred: Array = vectors - vectors[:, is_known].mean(1, keepdims=True)
    lengths = np.sqrt((centred * centred).sum(-1, keepdims=True))
    centred /= np.maximum(lengths, np.finfo(vectors.dtype).tiny)
    return centred


def mean_in_text(
    subject: Subject, words: Sequence[str], sentences: Sequence[Sequence[str]], report: Report
) -> tuple[Array, Array]:
    """The mean state of each word over its occurrences in any case (layers, W, H), and how many there are (W,)."""
    number = {word.lower(): i for i, word in enumerate(words)}
    same = [number[word.lower()] for word in words]
    config = subject.model.config
    sums = np.zeros((config.num_layers + 1, len(words), config.hidden_size), subject.model.dtype)
    counts = np.zeros(len(words), int)
    for start in range(0, len(sentences), SENTENCES_AT_ONCE):
        group = sentences[start : start + SENTENCES_AT_ONCE]
        end = start + len(group)
        states = word_states(
            subject, group, report=part(report, start / len(sentences), end / len(sentences))
        ).layers
        who = np.array([number.get(word.lower(), -1) for sentence in group for word in sentence])
        places = np.flatnonzero(who >= 0)
        for layer in range(len(sums)):
            np.add.at(sums[layer], who[places], states[layer, places])
        np.add.at(counts, who[places], 1)
    means = sums / np.maximum(counts, 1).astype(sums.dtype)[:, None]
    return means[:, same], counts[same]


def sentences_with(
    words: Iterable[str], text: Iterable[Sequence[str]], most: int, occurrences: int
) -> list[Sequence[str]]:
    """Sentences, at most so many, in which words occur that have not occurred so often yet."""
    wanted = dict.fromkeys((word.lower() for word in words), occurrences)
    found = []
    for sentence in text:
        hits = [word.lower() for word in sentence if wanted.get(word.lower(), 0) > 0]
        if hits:
            found.append(sentence)
            for word in hits:
                wanted[word] -= 1
        if len(found) == most:
            break
    return found


def text_of_words(
    tasks: TaskFolder | None, most_stories: int, seed: int
) -> tuple[str, Iterable[Sequence[str]]]:
    """Sentences as words, and whose they are: of the treebank at hand, else of the embedded world."""
    treebank = tasks.split("ud_ewt", "train") if tasks else None
    if treebank:
        return "UD English EWT", [sentence.words for sentence in read_conllu(treebank)]
    told = (
        [token.text for token in sentence.tokens]
        for story in islice(stories(seed=seed), most_stories)
        for sentence in story.sentences
    )
    return "the embedded world", told
