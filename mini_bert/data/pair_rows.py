"""Rows of two passages, `[CLS] A [SEP] B [SEP]`, and a question about them: BERT's second task, and ALBERT's.

    rows = PairRows(cache, training, 64, Layout.of(tokenizer), seed=0, task="next-sentence")
    rows[0:32]                                     # ids (32, 64)
    rows.classes_numbered(np.arange(32))           # 0: B follows A; 1: it does not

A and B are whole sentences as many as fit, cut between two of them at random. In half of the rows, with
"next-sentence" B is taken from another document (Devlin et al. 2019), with "sentence-order" A and B have changed
places (Lan et al. 2020). A B from elsewhere is drawn just as a B that follows: neither its length nor where in a
document it begins gives it away.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform
from mini_bert.data.order import Order
from mini_bert.data.rows import Layout, Places, Rows
from mini_bert.data.token_cache import TokenCache

PairTask = Literal["next-sentence", "sentence-order"]
FOLLOWS, DOES_NOT = 0, 1


class Passage(NamedTuple):
    """Tokens `start` to `end` of a document."""

    document: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


class Pair(NamedTuple):
    first: Passage
    second: Passage
    label: int


class PairRows(Rows):
    """A row for each stretch of a document that would fill one; documents of one sentence are left out."""

    _made: tuple[int, Array, list[Pair]] | None = None
    _arranged: tuple[int, Array] | None = None

    def __init__(
        self,
        cache: TokenCache,
        documents: Array,
        T: int,
        layout: Layout,
        seed: int | None = 0,
        *,
        order: Order | None = None,
        task: PairTask = "next-sentence",
    ) -> None:
        self.task, self.seed = task, seed or 0
        super().__init__(cache, documents, T, layout, seed, order=order)

    def count_rows(self) -> int:
        if self.layout.pad is None or not self.layout.between:
            raise ValueError(
                "two passages need tokens to separate and to pad with, and this vocabulary has not both"
            )
        self.text_room = self.room - len(self.layout.between)
        ends = self.cache.ends[self.documents]
        starts = self.cache.starts[self.documents].astype(np.uint64)
        first, last = (np.searchsorted(self.cache.breaks, places, side="right") for places in (starts, ends))
        self.usable = self.documents[last - first >= 2]
        if len(self.usable) < 2 or self.text_room < 2:
            raise ValueError(
                f"{self.cache.contents.source_name}: {len(self.usable)} of {len(self.documents)} documents have two "
                "sentences or more, and pairs need two such documents; keep whole paragraphs together (unit: paragraph"
                " or file), or leave the second task out"
            )
        stretches = np.maximum(1, self.cache.lengths[self.usable] // self.text_room)
        self.row_ends = np.cumsum(stretches)
        return int(self.row_ends[-1])

    def pairs(self, epoch: int, numbers: Array) -> list[Pair]:
        """The passages of each row; the last ones asked for are kept."""
        if self._made is None or self._made[0] != epoch or not np.array_equal(self._made[1], numbers):
            draws = uniform(streams("pairs", self.seed, epoch, numbers), 0, 4)
            rows = self.arranged(epoch)[numbers]
            made = [self.pair(row, *u) for row, u in zip(rows.tolist(), draws.tolist(), strict=True)]
            self._made = epoch, numbers, made
        return self._made[2]

    def arranged(self, epoch: int) -> Array:
        """The order of the rows in an epoch; the last one asked for is kept."""
        if self._arranged is None or self._arranged[0] != epoch:
            self._arranged = epoch, self.order.rows(self.rows_per_epoch, epoch)
        return self._arranged[1]

    def pair(self, row: int, cut: float, fate: float, other: float, other_cut: float) -> Pair:
        first, second = self.cut_in_two(row, cut)
        if fate < 0.5:
            return Pair(*self.fitted(first, second), FOLLOWS)
        if self.task == "sentence-order":
            return Pair(*self.fitted(second, first), DOES_NOT)
        elsewhere = int(other * self.rows_per_epoch)
        while self.document_of(elsewhere) == first.document:
            elsewhere = (elsewhere + 1) % self.rows_per_epoch
        _, stranger = self.cut_in_two(
            elsewhere, other_cut, self.text_room - min(first.size, self.text_room // 2)
        )
        return Pair(*self.fitted(first, stranger), DOES_NOT)

    def document_of(self, row: int) -> int:
        return int(self.usable[np.searchsorted(self.row_ends, row, side="right")])

    def cut_in_two(self, row: int, cut: float, room: int | None = None) -> tuple[Passage, Passage]:
        """The sentences of a stretch that fit together, parted between two of them; both parts have one at least.

        With `room`, the second part has as many sentences as fit there alone.
        """
        number = int(np.searchsorted(self.row_ends, row, side="right"))
        document = int(self.usable[number])
        stretch = row - int(self.row_ends[number - 1] if number else 0)
        ends = self.cache.sentences(document)
        starts = np.concatenate([[0], ends[:-1]])
        begin = min(int(np.searchsorted(starts, stretch * self.text_room)), len(ends) - 2)
        stop = fitting_end(ends, starts[begin] + self.text_room, begin + 2)
        middle = begin + 1 + int(cut * (stop - begin - 1))
        if room is not None:
            stop = fitting_end(ends, starts[middle] + room, middle + 1)
        return (
            Passage(document, int(starts[begin]), int(starts[middle])),
            Passage(document, int(starts[middle]), int(ends[stop - 1])),
        )

    def fitted(self, first: Passage, second: Passage) -> tuple[Passage, Passage]:
        """Both cut to the room there is: the end of the first and the beginning of the second remain."""
        size = min(first.size, max(self.text_room - second.size, self.text_room // 2))
        second_size = min(second.size, self.text_room - size)
        return (
            first._replace(start=first.end - size),
            second._replace(end=second.start + second_size),
        )

    def in_epoch(self, epoch: int, numbers: Array) -> Array:
        documents, offsets = self.places_in_epoch(epoch, numbers)
        sizes = self.sizes(epoch, numbers)
        inside = np.minimum(self.cache.starts[documents] + offsets, self.cache.contents.tokens - 1)
        ids = self.cache.ids[inside].astype(np.int64)
        layout = self.layout
        before, between, after = len(layout.before), len(layout.between), len(layout.after)
        rows = np.full((len(ids), self.T), layout.pad)
        for row, text, (first, second) in zip(rows, ids, sizes.tolist(), strict=True):
            end = before + first + between + second
            row[:before] = layout.before
            row[before:end] = text[: first + between + second]
            row[before + first : before + first + between] = layout.between
            row[end : end + after] = layout.after
        return rows

    def places_in_epoch(self, epoch: int, numbers: Array) -> Places:
        pairs, between = self.pairs(epoch, numbers), len(self.layout.between)
        documents = np.empty((len(pairs), self.room), np.int64)
        offsets = np.empty_like(documents)
        for row, (first, second, _) in enumerate(pairs):
            border = first.size + between
            documents[row, :border], documents[row, border:] = first.document, second.document
            offsets[row] = self.cache.lengths[first.document]
            offsets[row, : first.size] = np.arange(first.start, first.end)
            offsets[row, border:] = self.cache.lengths[second.document]
            offsets[row, border : border + second.size] = np.arange(second.start, second.end)
        return Places(documents, offsets)

    def sizes(self, epoch: int, numbers: Array) -> Array:
        """Tokens of both passages of each row (n, 2)."""
        return np.array([(first.size, second.size) for first, second, _ in self.pairs(epoch, numbers)])

    def lengths_in_epoch(self, epoch: int, numbers: Array) -> Array:
        lengths: Array = self.T - self.text_room + self.sizes(epoch, numbers).sum(1)
        return lengths

    def segments_numbered(self, rows: Array) -> Array:
        """0 up to the separator behind A, and in the padding; 1 for B and the separator behind it."""
        parts = []
        for epoch, numbers in self.by_epoch(rows):
            sizes = self.sizes(epoch, numbers)
            begin = len(self.layout.before) + sizes[:, :1] + len(self.layout.between)
            end = begin + sizes[:, 1:] + len(self.layout.after)
            columns = np.arange(self.T)
            parts.append(((columns >= begin) & (columns < end)).astype(np.int64))
        return np.concatenate(parts)

    def classes_numbered(self, rows: Array) -> Array:
        labels = [pair.label for epoch, numbers in self.by_epoch(rows) for pair in self.pairs(epoch, numbers)]
        return np.array(labels)

    def identity(self) -> dict[str, str | int]:
        return {**super().identity(), "task": self.task, "pair_seed": self.seed}


def fitting_end(ends: Array, limit: int, least: int) -> int:
    """How many sentences end at or before a limit, but `least` at least."""
    return max(least, int(np.searchsorted(ends, limit, side="right")))
