"""Packing: all documents, one after the other, cut into full rows.

training, held_out = split(cache, 0.05)
rows = PackedRows(cache, training, 128, Layout.of(tokenizer), seed=0)
rows[0:32]                                                                # ids (32, 128)
PackedRows(cache, held_out, 128, Layout.of(tokenizer), seed=None)         # the same order in every epoch
"""

from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.rows import DOCUMENTS, ROWS, Layout, Rows
from mini_bert.data.token_cache import TokenCache


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

    def __init__(
        self, cache: TokenCache, documents: Array, T: int, layout: Layout, seed: int | None = 0
    ) -> None:
        super().__init__(cache, documents, T, layout, seed)
        tokens = int(cache.lengths[documents].sum()) + len(layout.between) * (len(documents) - 1)
        self.rows_per_epoch = tokens // self.room
        if not self.rows_per_epoch:
            raise ValueError(
                f"{cache.contents.source_name}: {tokens} tokens in these documents, less than one row of T={T}; "
                "choose a smaller T, another split, or DocumentRows"
            )
        self._epoch: Epoch | None = None

    def lengths(self, first: int, count: int) -> Array:
        return np.full(count, self.T)

    def in_epoch(self, epoch: int, numbers: Array) -> Array:
        arranged = self.arranged(epoch)
        places = arranged.rows[numbers][:, None] * self.room + np.arange(
            self.room
        )  # (n, room), in the stream
        which = np.searchsorted(arranged.starts, places.ravel(), side="right").reshape(places.shape) - 1
        documents = arranged.documents[which]
        offsets = places - arranged.starts[which]
        beyond = offsets - self.cache.lengths[documents]
        inside = np.minimum(self.cache.starts[documents] + offsets, self.cache.contents.tokens - 1)
        ids = self.cache.ids[inside].astype(np.int64)
        for i, separator in enumerate(self.layout.between):
            ids[beyond == i] = separator
        return self.layout.framed(ids)

    def arranged(self, epoch: int) -> Epoch:
        """The arrangement of an epoch; the last one asked for is kept."""
        if self._epoch is None or self._epoch.number != epoch:
            documents = self.documents[self.order(len(self.documents), epoch, DOCUMENTS)]
            sizes = self.cache.lengths[documents] + len(self.layout.between)
            starts = np.cumsum(sizes) - sizes
            self._epoch = Epoch(epoch, documents, starts, self.order(self.rows_per_epoch, epoch, ROWS))
        return self._epoch
