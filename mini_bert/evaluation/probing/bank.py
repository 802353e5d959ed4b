"""The vectors of all words that some tasks ask about, read once however many tasks share a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.probing.task import Part, Task, Words
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.word_states import Pooling, word_states
from mini_bert.reports import Report, part, silent

MOST_BYTES = 2 << 30


class Bank:
    """`bank.groups(layers)` are the vectors (W, H) after each layer, `bank.numbers(part)` the rows of a part's words.

    As many layers are kept as fit into memory; for others the model has to read the sentences again.
    """

    def __init__(
        self, subject: Subject, tasks: Iterable[Task], pooling: Pooling, most_bytes: int = MOST_BYTES
    ) -> None:
        self.subject, self.pooling = subject, pooling
        self.starts: dict[Words, int] = {}
        start = 0
        for task in tasks:
            for one in (task.train, task.dev, task.test):
                for sentence in one.sentences:
                    if sentence not in self.starts:
                        self.starts[sentence] = start
                        start += len(sentence)
        self.words = start
        config, size = subject.model.config, subject.model.dtype.itemsize
        at_once = max(1, most_bytes // max(1, self.words * config.hidden_size * size))
        self.layers_at_once = min(at_once, config.num_layers + 1)
        self.held: dict[int, Array] = {}

    def groups(self, layers: Sequence[int], report: Report = silent) -> Iterator[Mapping[int, Array]]:
        """The vectors (W, H) after each of some layers, as many layers at a time as there is room for."""
        if self.held.keys() >= set(layers):
            yield {layer: self.held[layer] for layer in layers}
            return
        for start in range(0, len(layers), self.layers_at_once):
            group = layers[start : start + self.layers_at_once]
            self.held = {}
            share = part(report, start / len(layers), (start + len(group)) / len(layers))
            states = word_states(self.subject, list(self.starts), self.pooling, group, share).layers
            self.held = dict(zip(group, states.astype(np.float32, copy=False), strict=True))
            yield self.held

    def numbers(self, of: Part) -> Array:
        """The row of each word of a part."""
        found = [np.arange(self.starts[words], self.starts[words] + len(words)) for words in of.sentences]
        return np.concatenate(found) if found else np.empty(0, np.int64)
