"""Packing: all documents, one after the other, cut into full rows.

training, held_out = split(cache, 0.05)
rows = PackedRows(cache, training, 128, Layout.of(tokenizer), seed=0)
rows[0:32]                                                                # ids (32, 128)
PackedRows(cache, held_out, 128, Layout.of(tokenizer), seed=None)         # the same order in every epoch
AlignedRows(cache, training, 128, Layout.of(tokenizer), seed=0)           # [CLS] stands where a document begins
"""

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Places, Rows
from mini_bert.errors import counted


class Epoch(NamedTuple):
    """The documents in their order, where each begins in the stream of them all, and the order of the rows."""

    number: int
    documents: Array
    starts: Array
    rows: Array


class PackedRows(Rows):
    """Full rows without padding, cut from a stream of all documents with `layout.between` between them.

    In each epoch the documents come in another order, are packed anew, and the rows are put into another order too,
    so that neighbours in a batch are not neighbours in the text. What is left at the end of the stream is less than
    a row, and other text in each epoch.
    """

    _epoch: Epoch | None = None

    def count_rows(self) -> int:
        between = len(self.layout.between) * (len(self.documents) - 1)
        tokens = int(self.cache.lengths[self.documents].sum()) + between
        if tokens < self.room:
            raise ValueError(
                f"{self.cache.contents.source_name}: {counted(tokens, 'token')} in these documents, less than one row"
                f" of T={self.T}; give more text, hold out another share (held_out=0.1), choose a smaller T, or let"
                " each document have a row (packed=false, aligned=false)"
            )
        return tokens // self.room

    def lengths_in_epoch(self, epoch: int, numbers: Array) -> Array:
        return np.full(len(numbers), self.T)

    def in_epoch(self, epoch: int, numbers: Array) -> Array:
        documents, offsets = self.places_in_epoch(epoch, numbers)
        beyond = offsets - self.cache.lengths[documents]
        inside = np.minimum(self.cache.starts[documents] + offsets, self.cache.contents.tokens - 1)
        ids = self.cache.ids[inside].astype(np.int64)
        for i, separator in enumerate(self.layout.between):
            ids[beyond == i] = separator
        return self.layout.framed(ids)

    def places_in_epoch(self, epoch: int, numbers: Array) -> Places:
        arranged = self.arranged(epoch)
        firsts = self.firsts(arranged, numbers)
        which = passed(arranged.starts, firsts, self.room)
        offsets = firsts[:, None] + np.arange(self.room) - arranged.starts[which]
        return Places(arranged.documents[which], offsets)

    def firsts(self, arranged: Epoch, numbers: Array) -> Array:
        """Where rows begin in the stream (n,)."""
        return arranged.rows[numbers] * self.room

    def arranged(self, epoch: int) -> Epoch:
        """The arrangement of an epoch; the last one asked for is kept."""
        if self._epoch is None or self._epoch.number != epoch:
            documents = self.documents[self.order.documents(self.cache.lengths[self.documents], epoch)]
            sizes = self.cache.lengths[documents] + len(self.layout.between)
            starts = np.cumsum(sizes) - sizes
            self._epoch = Epoch(epoch, documents, starts, self.order.rows(self.rows_per_epoch, epoch))
        return self._epoch


class AlignedRows(PackedRows):
    """Packed rows that begin where a document does, if it began less than a row before; else in the midst of it.

    Where rows are cut anywhere, [CLS] says nothing of what follows, and a sentence by itself, as a task asks about it,
    is like nothing seen in training. A row that begins earlier ends earlier: what the next one does not read either is
    other text in each epoch.
    """

    def firsts(self, arranged: Epoch, numbers: Array) -> Array:
        cuts = super().firsts(arranged, numbers)
        begins = arranged.starts[np.searchsorted(arranged.starts, cuts, side="right") - 1]
        return np.where(cuts - begins < self.room, begins, cuts)


def passed(starts: Array, firsts: Array, room: int) -> Array:
    """For each of `room` places from each of `firsts` on (n,), the number of the start at or before it: (n, room).

    `starts` grow. Only both ends of a row are searched for, since a search in a long array waits for memory at each
    step; the starts between them, each at its own place, count up by one.
    """
    before, last = np.searchsorted(starts, np.stack([firsts, firsts + room - 1]), side="right") - 1
    inside = last - before
    row = np.repeat(np.arange(len(firsts)), inside)
    number = np.arange(len(row)) - np.repeat(np.cumsum(inside) - inside - before - 1, inside)
    steps = np.zeros((len(firsts), room), np.int64)
    steps[:, 0] = before
    steps[row, starts[number] - firsts[row]] = 1
    return np.cumsum(steps, axis=1)
