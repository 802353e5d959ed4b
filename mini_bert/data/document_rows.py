"""A row for each document, for text whose documents are sentences.

rows = DocumentRows(cache, training, 64, Layout.of(tokenizer), seed=0)
rows[0:32], rows.lengths(0, 32)                                           # ids (32, 64), (32,)
"""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import Places, Rows


class DocumentRows(Rows):
    """A row for each document: cut at T, or filled up with padding, which `lengths` leaves out."""

    _arranged: tuple[int, Array] | None = None

    def count_rows(self) -> int:
        if self.layout.pad is None:
            raise ValueError("this vocabulary has no token to pad with; pack the documents (PackedRows)")
        return len(self.documents)

    def lengths_in_epoch(self, epoch: int, numbers: Array) -> Array:
        return self.T - self.room + self.sizes(self.arranged(epoch)[numbers])

    def in_epoch(self, epoch: int, numbers: Array) -> Array:
        documents = self.arranged(epoch)[numbers]
        ids = np.full((len(documents), self.T), self.layout.pad)
        before, after = self.layout.before, self.layout.after
        for row, document, size in zip(ids, documents, self.sizes(documents), strict=True):
            start, end = self.cache.starts[document], len(before) + size
            row[: len(before)] = before
            row[len(before) : end] = self.cache.ids[start : start + size]
            row[end : end + len(after)] = after
        return ids

    def places_in_epoch(self, epoch: int, numbers: Array) -> Places:
        documents = self.arranged(epoch)[numbers]
        shape = len(documents), self.room
        return Places(
            np.broadcast_to(documents[:, None], shape), np.broadcast_to(np.arange(self.room), shape)
        )

    def sizes(self, documents: Array) -> Array:
        """How many tokens of each document fit."""
        return np.minimum(self.cache.lengths[documents], self.room)

    def arranged(self, epoch: int) -> Array:
        """The documents in the order of an epoch; the last one asked for is kept."""
        if self._arranged is None or self._arranged[0] != epoch:
            order = self.order.documents(self.cache.lengths[self.documents], epoch)
            self._arranged = epoch, self.documents[order]
        return self._arranged[1]
