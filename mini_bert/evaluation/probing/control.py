"""Control tasks (Hewitt & Liang 2019): labels that mean nothing, to see how much a probe can learn by heart.

    selectivity = accuracy − accuracy on the control task

Every word type, in lower case, has one label for all its occurrences, drawn by a hash of its letters with the
frequencies that labels have in train; so words that train does not have are labelled by the same rule. A label of a
pair, such as a relation, goes by its first word. For edges each word type hangs, by the same kind of draw, on the first
or on the last word of its sentence; a word between these is asked about with one of the two, each half of the time, so
that only the type can tell.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import blake2b

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import drawn, streams, uniform
from mini_bert.evaluation.probing.annotation import HEAD, coins
from mini_bert.evaluation.probing.task import Part, Task

PURPOSE = "control labels"


def controlled(task: Task, seed: int) -> Task:
    """The same sentences with labels that mean nothing."""
    if task.name == "edges":
        is_edge = task.classes.index(HEAD)
        parts = {
            name: control_edges(part, f"control edges of {name}", seed, is_edge)
            for name, part in parts_of(task).items()
        }
    else:
        shares = np.bincount(task.train.labels, minlength=len(task.classes)) / len(task.train)
        parts = {
            name: replace(part, labels=control_labels(part, shares, seed))
            for name, part in parts_of(task).items()
        }
    return replace(task, train=parts["train"], dev=parts["dev"], test=parts["test"])


def parts_of(task: Task) -> dict[str, Part]:
    return {"train": task.train, "dev": task.dev, "test": task.test}


def control_labels(part: Part, shares: Array, seed: int) -> Array:
    words = [word.lower() for sentence in part.sentences for word in sentence]
    first = [words[i] for i in part.places[:, 0].tolist()]
    types = sorted(set(first))
    labels = dict(zip(types, drawn(shares, chance_of(types, seed)).tolist(), strict=True))
    return np.array([labels[word] for word in first])


def control_edges(part: Part, purpose: str, seed: int, is_edge: int) -> Part:
    """Each word between the ends of a sentence, with the end on which its type hangs or with the other one."""
    types = sorted({word.lower() for sentence in part.sentences for word in sentence})
    hangs_on_first = dict(zip(types, (chance_of(types, seed) < 0.5).tolist(), strict=True))
    pairs: list[tuple[int, int]] = []
    labels: list[int] = []
    chances = coins(part.sentences, purpose, seed)
    for sentence, start, chance in zip(part.sentences, part.starts[:-1].tolist(), chances, strict=True):
        last = len(sentence) - 1
        for i in range(1, last):
            goes_first = chance[2 * i] < 0.5
            pairs.append((start + i, start if goes_first else start + last))
            agrees = goes_first == hangs_on_first[sentence[i].lower()]
            labels.append(is_edge if agrees else 1 - is_edge)
    return Part(part.sentences, np.array(pairs, np.int64).reshape(-1, 2), np.array(labels, np.int64))


def chance_of(types: list[str], seed: int) -> Array:
    """A number from 0 to 1 (n,) for each word, always the same."""
    hashes = b"".join(blake2b(word.encode(), digest_size=8).digest() for word in types)
    return uniform(streams(PURPOSE, seed, np.frombuffer(hashes, "<u8")), 0, 1)[:, 0]
