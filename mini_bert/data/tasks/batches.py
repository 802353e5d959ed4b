"""Batches of labelled examples: similar lengths together, so that there is little padding.

    encodings = [tokenizer.encoding(example.text, example.pair, max_length=128) for example in examples]
    pad_id = tokenizer.pad_id
    for batch in task_batches(encodings, labels, 32, seed=0, epoch=epoch, pad_id=pad_id): ...
    batch.ids, batch.attention_mask, batch.type_ids, batch.labels, batch.indices

Every example comes once in an epoch. Which ones stand together, and the order of the batches, follow from seed and
epoch; without a seed, batches go from short to long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import permutation
from mini_bert.data.tasks.alignment import IGNORED
from mini_bert.errors import counted

Length = TypeVar("Length", int, Array)


class Encoded(Protocol):
    """An `Encoding`, or `AlignedWords`."""

    @property
    def ids(self) -> Sequence[int] | Array: ...

    @property
    def type_ids(self) -> Sequence[int] | Array: ...


@dataclass(frozen=True)
class TaskBatch:
    """ids, attention_mask (0 at padding) and type_ids, each (B, T), and the numbers of the examples (B,).

    Labels are (B,), or (B, T) if each token has one, IGNORED where it has none; None if none were given.
    """

    ids: Array
    attention_mask: Array
    type_ids: Array
    labels: Array | None
    indices: Array

    @property
    def weights(self) -> Array | None:
        """1 where there is a label, else 0; shaped like the labels."""
        return None if self.labels is None else (self.labels != IGNORED).astype(np.float32)


def task_batches(
    encodings: Sequence[Encoded],
    labels: Sequence[Any] | Array | None,
    batch_size: int,
    seed: int | None = 0,
    epoch: int = 0,
    *,
    pad_id: int,
    multiple: int = 8,
) -> Iterator[TaskBatch]:
    """Batches of one epoch, padded to the longest of each, rounded up to a multiple.

    `pad_id` is the id that fills them up, of the tokenizer that made the encodings. `labels` has a number for each
    example (`label_numbers` makes them of the labels that readers give), or an array (T,) with one for each of its
    tokens.
    """
    if labels is not None and len(labels) != len(encodings):
        raise ValueError(
            f"{counted(len(labels), 'label')} for {counted(len(encodings), 'example')}; give one for each"
        )
    if batch_size < 1 or multiple < 1:
        raise ValueError(f"batch_size={batch_size}, multiple={multiple}; choose 1 or more")
    lengths = np.array([len(one.ids) for one in encodings], np.int64)
    for indices in grouped(lengths, batch_size, seed, epoch, multiple):
        T = rounded_up(int(lengths[indices].max()), multiple)
        yield TaskBatch(
            padded([encodings[i].ids for i in indices], T, pad_id),
            (np.arange(T) < lengths[indices, None]).astype(np.int64),
            padded([encodings[i].type_ids for i in indices], T, 0),
            None if labels is None else stacked([labels[i] for i in indices], T),
            indices,
        )


def grouped(lengths: Array, batch_size: int, seed: int | None, epoch: int, multiple: int) -> Iterator[Array]:
    """The examples of each batch: in random order among those that are padded to the same length."""
    examples = len(lengths)
    order = np.arange(examples) if seed is None else permutation("task examples", examples, seed, epoch)
    order = order[np.argsort(rounded_up(lengths[order], multiple), kind="stable")]
    firsts = np.arange(0, examples, batch_size)
    if seed is not None:
        firsts = firsts[permutation("task batches", len(firsts), seed, epoch)]
    for first in firsts.tolist():
        yield order[first : first + batch_size]


def rounded_up(length: Length, multiple: int) -> Length:
    return -(-length // multiple) * multiple


def padded(rows: Sequence[Sequence[int] | Array], T: int, filling: int) -> Array:
    """Rows of different lengths as one array (B, T)."""
    table = np.full((len(rows), T), filling)
    for place, row in zip(table, rows, strict=True):
        place[: len(row)] = row
    return table


def stacked(labels: Sequence[Any], T: int) -> Array:
    """Labels (B,), or (B, T) if each is an array itself."""
    if np.ndim(labels[0]):
        return padded([np.asarray(row) for row in labels], T, IGNORED)
    return np.asarray(labels)
