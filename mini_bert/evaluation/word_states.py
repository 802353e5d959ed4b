"""One vector for each word of sentences that are split into words, from every layer.

    states = word_states(subject, [["The", "dog", "barks"], ["Rain", "falls"]])
    states.layers[2]              # (5, H): all words, one sentence after the other, after layer 2; 0 is the embeddings
    states.sentence(1)            # slice(3, 5)

A word of several pieces is the mean of their vectors, or the first or the last of them. A sentence that is too long for
the model is read in several passes of whole words, so that every word has a vector; a word that is itself too long is
known by those of its pieces that fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.tasks.alignment import AlignedWords, WordSpans, align
from mini_bert.data.tasks.batches import padded
from mini_bert.evaluation.layer_states import layer_states
from mini_bert.evaluation.subject import Subject
from mini_bert.inference.reading import Batch
from mini_bert.reports import Report, part, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

Pooling = Literal["mean", "first", "last"]
TOKENS_AT_ONCE = 4096
MOST_AT_ONCE = 2 << 30
"""Bytes of vectors that are asked for together, where layers can be read in turn."""
SHARE_OF_READING = 0.4
"""Of the time that reading and what is done with the vectors takes, about."""


@dataclass(frozen=True)
class WordStates:
    """Vectors (layers, W, H) of all words; sentence i has the words `starts[i]` to `starts[i + 1]`."""

    layers: Array
    starts: Array

    def sentence(self, number: int) -> slice:
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


class WordsRead(NamedTuple):
    """Sentences that a model has read: where each begins in the vectors, of so many layers, pooled so."""

    starts: Mapping[tuple[str, ...], int]
    layers: Sequence[int]
    pooling: Pooling
    states: Array

    def again(
        self, sentences: Sequence[Sequence[str]], pooling: Pooling, layers: Sequence[int]
    ) -> Array | None:
        """The vectors (layers, W, H) of those sentences, if all of them were read so."""
        if pooling != self.pooling or not set(layers) <= set(self.layers):
            return None
        keys = [tuple(words) for words in sentences]
        if not self.starts.keys() >= set(keys):
            return None
        if list(layers) == list(self.layers) and self.are_all(keys):
            return self.states
        places = np.concatenate([np.arange(len(key)) + self.starts[key] for key in keys])
        rows = np.array([self.layers.index(layer) for layer in layers])
        states: Array = self.states[rows[:, None], places]
        return states

    def are_all(self, keys: Sequence[tuple[str, ...]]) -> bool:
        """Whether those are all sentences that were read, each once."""
        return keys == list(self.starts) and sum(map(len, keys)) == self.states.shape[1]


class Window(NamedTuple):
    """Words that go through the model together; the first of them is number `start` of all words."""

    words: AlignedWords
    start: int


def word_states(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    pooling: Pooling = "mean",
    layers: Sequence[int] | None = None,
    report: Report = silent,
) -> WordStates:
    """The vectors of all words, from those layers that are asked for; by default from all, 0 to L."""
    config = subject.model.config
    chosen = list(range(config.num_layers + 1)) if layers is None else list(layers)
    starts = np.cumsum([0, *map(len, sentences)])
    read = subject.memory.read.get(subject.twin)
    known = read and read.again(sentences, pooling, chosen)
    if known is not None:
        return WordStates(known, starts)
    del read
    subject.memory.read.pop(subject.twin, None)  # makes room before the next are read
    windows = [
        Window(part, int(start) + first)
        for words, start in zip(sentences, starts[:-1], strict=True)
        for part, first in passes(words, subject.tokenizer, config.max_seq_length)
    ]
    windows.sort(key=lambda window: len(window.words))
    found = np.empty((len(chosen), int(starts[-1]), config.hidden_size), subject.model.dtype)
    done = 0
    for group in groups(windows):
        states = layer_states(subject.predictor, batch_of(group, subject), chosen)
        B, _, T, H = states.shape
        spans = WordSpans.joined([window.words.spans for window in group], T)
        places = np.concatenate([window.start + np.arange(len(window.words.spans.first)) for window in group])
        for number in range(len(chosen)):
            found[number, places] = pooled(states[:, number].reshape(B * T, H), spans, pooling)
        done += len(group)
        report(done / len(windows), f"{done:,} of {len(windows):,} sentences read")
    at = {tuple(words): int(start) for words, start in zip(sentences, starts[:-1], strict=True)}
    subject.memory.keep(subject.twin, WordsRead(at, chosen, pooling, found))
    return WordStates(found, starts)


def layers_at_once(subject: Subject, words: int) -> int:
    """Of how many layers the vectors of so many words fit into `MOST_AT_ONCE`."""
    config = subject.model.config
    size = subject.model.dtype.itemsize * config.hidden_size * max(1, words)
    return max(1, min(config.num_layers + 1, MOST_AT_ONCE // size))


def readings(subject: Subject, words: int, layers: int) -> int:
    """How often so many words are read until those layers have had their turn."""
    return -(-layers // layers_at_once(subject, words))


def layers_in_turn(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    pooling: Pooling,
    layers: Sequence[int],
    report: Report,
) -> Iterator[tuple[dict[int, Array], Report]]:
    """Vectors (W, H) of all words by layer, as many layers at a time as fit into memory, and the report of the rest.

    What does not fit is read again later on. The dictionary is emptied before: nobody should hold on to its vectors.
    """
    at_once = layers_at_once(subject, sum(map(len, sentences)))
    for first in range(0, len(layers), at_once):
        now = layers[first : first + at_once]
        start, end = first / len(layers), (first + len(now)) / len(layers)
        middle = start + SHARE_OF_READING * (end - start)
        states = word_states(subject, sentences, pooling, now, part(report, start, middle)).layers
        found = dict(zip(now, states, strict=True))
        del states
        yield found, part(report, middle, end)
        found.clear()


def passes(words: Sequence[str], tokenizer: Tokenizer, T: int) -> Iterator[tuple[AlignedWords, int]]:
    """A sentence in parts that fit into T tokens, each with the number of its first word."""
    first = 0
    while first < len(words):
        part = align(words[first:], tokenizer, T)
        if not len(part.spans.first):
            part = shortened(align(words[first : first + 1], tokenizer), T)
        yield part, first
        first += len(part.spans.first)


def shortened(word: AlignedWords, T: int) -> AlignedWords:
    """A single word with as many of its pieces as fit into T tokens."""
    last = int(word.spans.last[0])
    kept = np.r_[: last + 1 - (len(word) - T), last + 1 : len(word)]
    return replace(
        word,
        ids=word.ids[kept],
        type_ids=word.type_ids[kept],
        word_of_piece=word.word_of_piece[kept],
        spans=WordSpans(word.spans.first, word.spans.last - (len(word) - T)),
    )


def groups(windows: Sequence[Window]) -> Iterator[list[Window]]:
    """Windows of similar length, as many as make a full load."""
    group: list[Window] = []
    for window in windows:
        if group and (len(group) + 1) * len(window.words) > TOKENS_AT_ONCE:
            yield group
            group = []
        group.append(window)
    if group:
        yield group


def batch_of(group: Sequence[Window], subject: Subject) -> Batch:
    tokenizer = subject.tokenizer
    fill = tokenizer.pad_id or 0
    lengths = np.array([len(window.words) for window in group])
    T = int(lengths.max())
    mask = np.arange(T) < lengths[:, None]
    return Batch(
        padded([window.words.ids for window in group], T, fill),
        None if mask.all() else mask,
        padded([window.words.type_ids for window in group], T, 0)
        if subject.model.config.token_types
        else None,
    )


def pooled(states: Array, spans: WordSpans, pooling: Pooling) -> Array:
    """(W, H) from states (B·T, H)"""
    if pooling == "mean":
        return spans.mean(states)
    return states[spans.first if pooling == "first" else spans.last]
