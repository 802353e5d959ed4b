"""Rows: a token cache as sequences of T ids, by number, without end.

    rows[0:32], rows.take(0, 32)                   # ids (32, T)
    rows.places(0, 32)                             # of each token of text: document and place in it
    rows.numbered(np.array([5, 2, 9]))             # any rows, by their numbers
    rows.epoch_of(1_000_000), rows.rows_per_epoch

`PackedRows` are full of text, `DocumentRows` hold a document each, `PairRows` two passages and a question. A row is a
pure function of the cache, the order and its number. So any batch can be read at any time: to resume is to go on
counting, whatever the batches were before, and several workers just read different rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.data.order import InOrder, Order, Shuffled
from mini_bert.data.token_cache import TokenCache
from mini_bert.tokenizers.tokenizer import Tokenizer


class Places(NamedTuple):
    """Where the text of rows comes from: the number of the document, and the place in it, each (n, room).

    Column j of `room` stands at `len(layout.before) + j` of the row. A place at or behind the end of its document is
    that of a separator or of padding.
    """

    documents: Array
    offsets: Array


@dataclass(frozen=True)
class Layout:
    """Ids that stand before and after a row, and between two documents in it: `[CLS] one [SEP] two [SEP]`.

    `pad` fills up a row that has too little text; a vocabulary like GPT-2's has none.
    """

    before: tuple[int, ...] = ()
    between: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    pad: int | None = None

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Layout:
        """A tokenizer's frame; one that has none, like GPT-2's, ends each document with its end-of-text token."""
        before, after = (
            tuple(tokenizer.token_to_id[token] for token in tokens) for tokens in tokenizer.frame.around()
        )
        roles = tokenizer.roles
        separator = roles.sep or roles.end
        return cls(
            before,
            () if separator is None else (tokenizer.token_to_id[separator],),
            after,
            tokenizer.pad_id,
        )

    def room(self, T: int) -> int:
        """How many ids of text a row of T has."""
        room = T - len(self.before) - len(self.after)
        if room < 1:
            raise ValueError(f"T={T}: no room for text beside the special tokens; choose T ≥ {T + 1 - room}")
        return room

    def framed(self, text: Array) -> Array:
        """Rows of text (n, room) between before and after: (n, T)."""
        n, room = text.shape
        before, after = len(self.before), len(self.after)
        rows = np.empty((n, before + room + after), np.int64)
        rows[:, :before] = self.before
        rows[:, before : before + room] = text
        rows[:, before + room :] = self.after
        return rows


class Rows(ABC):
    """Rows of T ids from some documents of a cache, shuffled by a seed, or without one as they come.

    `order` is any other order, in place of the seed.
    """

    def __init__(
        self,
        cache: TokenCache,
        documents: Array,
        T: int,
        layout: Layout,
        seed: int | None = 0,
        *,
        order: Order | None = None,
    ) -> None:
        if not len(documents):
            raise ValueError("no documents; was all text held out, or none?")
        self.cache, self.documents, self.T, self.layout = cache, documents, T, layout
        self.order = order or (InOrder() if seed is None else Shuffled(seed))
        self.room = layout.room(T)
        self.rows_per_epoch = self.count_rows()

    @abstractmethod
    def count_rows(self) -> int:
        """How many rows the documents make in an epoch; ValueError if they cannot make any."""

    @abstractmethod
    def in_epoch(self, epoch: int, numbers: Array) -> Array:
        """Rows of one epoch by their numbers in it (n,): ids (n, T)."""

    @abstractmethod
    def places_in_epoch(self, epoch: int, numbers: Array) -> Places:
        """Where their text comes from."""

    @abstractmethod
    def lengths_in_epoch(self, epoch: int, numbers: Array) -> Array:
        """How many of their ids are not padding (n,)."""

    def take(self, first: int, count: int) -> Array:
        """Rows `first` to `first + count`: ids (count, T). Row r is of epoch r // rows_per_epoch."""
        return self.numbered(span(first, count))

    def places(self, first: int, count: int) -> Places:
        """Where the text of these rows comes from: `cache.sentences(document)` tells of the sentences there."""
        return self.places_numbered(span(first, count))

    def lengths(self, first: int, count: int) -> Array:
        """How many ids of each of these rows are not padding (count,)."""
        return self.lengths_numbered(span(first, count))

    def numbered(self, rows: Array) -> Array:
        """The ids of any rows (n, T)."""
        parts = [self.in_epoch(epoch, numbers) for epoch, numbers in self.by_epoch(rows)]
        return np.concatenate(parts) if parts else np.empty((0, self.T), np.int64)

    def places_numbered(self, rows: Array) -> Places:
        parts = [self.places_in_epoch(epoch, numbers) for epoch, numbers in self.by_epoch(rows)]
        if not parts:
            return Places(*np.empty((2, 0, self.room), np.int64))
        return Places(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def lengths_numbered(self, rows: Array) -> Array:
        parts = [self.lengths_in_epoch(epoch, numbers) for epoch, numbers in self.by_epoch(rows)]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def segments_numbered(self, rows: Array) -> Array | None:
        """Which of its passages each id belongs to (n, T); None where a row is one passage."""
        return None

    def classes_numbered(self, rows: Array) -> Array | None:
        """What a second task is to tell of each row (n,); None where there is none."""
        return None

    def __getitem__(self, rows: slice) -> Array:
        if rows.stop is None or rows.step not in (None, 1):
            raise ValueError("rows have no end; name one, as in rows[0:32]")
        first = rows.start or 0
        return self.take(first, max(0, rows.stop - first))

    def by_epoch(self, rows: Array) -> Iterator[tuple[int, Array]]:
        """Each run of rows of one epoch, with their numbers in it."""
        epochs, numbers = np.divmod(rows, self.rows_per_epoch)
        borders = np.flatnonzero(np.diff(epochs)) + 1
        for part in np.split(np.arange(len(rows)), borders) if len(rows) else ():
            yield int(epochs[part[0]]), numbers[part]

    def epoch_of(self, row: int) -> int:
        return row // self.rows_per_epoch

    def word_ids(self, ids: Array, starts_word: Array) -> Array:
        """The number of each token's word within its row (B, T), for whole-word masking.

        `starts_word` (V,) says of which ids a word begins, as a tokenizer's `starts_word()` does.
        """
        return np.cumsum(np.asarray(starts_word, bool)[ids], axis=1)

    def identity(self) -> dict[str, str | int]:
        """All that decides which ids a row number stands for."""
        documents = blake2b(np.ascontiguousarray(self.documents, "<i8").tobytes(), digest_size=8)
        return {
            "text": self.cache.fingerprint,
            "documents": documents.hexdigest(),
            "rows": type(self).__name__,
            "T": self.T,
            "layout": repr(self.layout),
            "order": repr(self.order),
        }


def span(first: int, count: int) -> Array:
    """The numbers of so many rows from the first on."""
    if first < 0 or count < 0:
        raise ValueError(f"rows {first} to {first + count}; they are counted from 0")
    return np.arange(first, first + count)
