"""The vectors of all words that some tasks ask about, read once however many tasks share a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.probing.task import Part, Task, Words
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.word_states import Pooling, layers_in_turn
from mini_bert.reports import Report


class Bank:
    """`bank.groups(layers)` are vectors (W, H) by layer, `bank.numbers(part)` the rows of a part's words."""

    def __init__(self, subject: Subject, tasks: Iterable[Task], pooling: Pooling) -> None:
        self.subject, self.pooling = subject, pooling
        self.starts: dict[Words, int] = {}
        start = 0
        for task in tasks:
            for one in (task.train, task.dev, task.test):
                for sentence in one.sentences:
                    if sentence not in self.starts:
                        self.starts[sentence] = start
                        start += len(sentence)

    def groups(self, layers: Sequence[int], report: Report) -> Iterator[tuple[dict[int, Array], Report]]:
        """As `layers_in_turn`, of the probes' type."""
        for vectors, rest in layers_in_turn(self.subject, list(self.starts), self.pooling, layers, report):
            for layer in vectors:
                vectors[layer] = vectors[layer].astype(np.float32, copy=False)
            yield vectors, rest

    def numbers(self, of: Part) -> Array:
        """The row of each word of a part."""
        found = [np.arange(self.starts[words], self.starts[words] + len(words)) for words in of.sentences]
        return np.concatenate(found) if found else np.empty(0, np.int64)
