"""Rows of two passages, `[CLS] A [SEP] B [SEP]`, and a question about them: BERT's second task, and ALBERT's.

    rows = PairRows(cache, training, 64, Layout.of(tokenizer), seed=0, task="next-sentence")
    rows[0:32]                                     # ids (32, 64)
    rows.classes_numbered(np.arange(32))           # 0: B follows A; 1: it does not

In half of the rows, with "next-sentence" B is taken from another document (Devlin et al. 2019), with "sentence-order"
A and B have changed places (Lan et al. 2020). Only the text can tell which half a row is in. Both answers are made
ready for each row, alike in all that could be seen without reading, and then a coin is thrown:

- the stranger has exactly as many tokens as the B that follows, begins a sentence and no document as that one does,
  and ends with a sentence, or with its document, if and only if that one does. A is the same in both.
- passages that may change places have the same number of tokens, both begin a sentence, and both end one or neither.

Passages are whole sentences where two such can be found, else they are cut off.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform
from mini_bert.data.order import Order
from mini_bert.data.passages import Pairs, Stretches
from mini_bert.data.rows import Layout, Places, Rows
from mini_bert.data.token_cache import TokenCache

PairTask = Literal["next-sentence", "sentence-order"]
FOLLOWS, DOES_NOT = 0, 1
CANDIDATES = 64
"""How many strangers are looked at for one that is alike."""


class Made(NamedTuple):
    """The pairs of some rows, and what is to be told of each (n,)."""

    epoch: int
    numbers: Array
    pairs: Pairs
    labels: Array


class PairRows(Rows):
    """A row for each stretch of a document that would fill one; documents of one sentence are left out."""

    _made: Made | None = None
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
        if self.text_room < 2:
            raise ValueError(
                f"T={self.T}: no room for two passages; choose T ≥ {self.T + 2 - self.text_room}"
            )
        self.stretches = Stretches(self.cache, self.documents, self.text_room)
        usable = len(self.stretches.documents)
        if usable < 2:
            raise ValueError(
                f"{self.cache.contents.source_name}: {usable} of {len(self.documents)} documents have two "
                "sentences or more, and pairs need two such documents; keep whole paragraphs together (unit: paragraph"
                " or file), or leave the second task out"
            )
        return len(self.stretches)

    def made(self, epoch: int, numbers: Array) -> Made:
        """The passages and the label of each row; the last ones asked for are kept."""
        kept = self._made
        if kept is None or kept.epoch != epoch or not np.array_equal(kept.numbers, numbers):
            of_rows = streams("pairs", self.seed, epoch, numbers)
            cuts, coins = uniform(of_rows, 0, 2).T
            labels = np.where(coins < 0.5, FOLLOWS, DOES_NOT)
            rows = self.arranged(epoch)[numbers]
            if self.task == "next-sentence":
                pairs = self.with_strangers(rows, cuts, uniform(of_rows, 2, CANDIDATES), labels)
            else:
                pairs = exchanged(self.stretches.halved(rows, cuts), labels)
            kept = self._made = Made(epoch, numbers, pairs, labels)
        return kept

    def arranged(self, epoch: int) -> Array:
        """The order of the rows in an epoch; the last one asked for is kept."""
        if self._arranged is None or self._arranged[0] != epoch:
            self._arranged = epoch, self.order.rows(self.rows_per_epoch, epoch)
        return self._arranged[1]

    def with_strangers(self, rows: Array, cuts: Array, lots: Array, labels: Array) -> Pairs:
        """Strangers are found for all rows and take the place of B in some, so that nothing else differs."""
        pairs = self.stretches.parted(rows, cuts)
        document, start, pairs.sizes[:, 1] = self.stretches.strangers(rows, pairs, lots)
        is_strange = labels == DOES_NOT
        pairs.documents[is_strange, 1] = document[is_strange]
        pairs.starts[is_strange, 1] = start[is_strange]
        return pairs

    def in_epoch(self, epoch: int, numbers: Array) -> Array:
        documents, offsets = self.places_in_epoch(epoch, numbers)
        inside = np.minimum(self.cache.starts[documents] + offsets, self.cache.contents.tokens - 1)
        ids = self.cache.ids[inside].astype(np.int64)
        layout = self.layout
        before, between, after = len(layout.before), len(layout.between), len(layout.after)
        rows = np.full((len(ids), self.T), layout.pad)
        for row, text, (first, second) in zip(rows, ids, self.sizes(epoch, numbers).tolist(), strict=True):
            end = before + first + between + second
            row[:before] = layout.before
            row[before:end] = text[: first + between + second]
            row[before + first : before + first + between] = layout.between
            row[end : end + after] = layout.after
        return rows

    def places_in_epoch(self, epoch: int, numbers: Array) -> Places:
        pairs = self.made(epoch, numbers).pairs
        columns = np.arange(self.room)
        borders = pairs.sizes[:, :1] + len(self.layout.between)
        is_second = columns >= borders

        def of_either(values: Array) -> Array:
            return np.where(is_second, values[:, 1:], values[:, :1])

        documents = of_either(pairs.documents)
        inside = columns - np.where(is_second, borders, 0)
        offsets = of_either(pairs.starts) - self.cache.starts[documents] + inside
        is_text = inside < of_either(pairs.sizes)
        return Places(documents, np.where(is_text, offsets, self.cache.lengths[documents]))

    def sizes(self, epoch: int, numbers: Array) -> Array:
        """Tokens of both passages of each row (n, 2)."""
        return self.made(epoch, numbers).pairs.sizes

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
        return np.concatenate([self.made(epoch, numbers).labels for epoch, numbers in self.by_epoch(rows)])

    def identity(self) -> dict[str, str | int]:
        return {**super().identity(), "task": self.task, "pair_seed": self.seed}


def exchanged(pairs: Pairs, labels: Array) -> Pairs:
    """The pairs with both passages exchanged in those rows where they are not to follow."""
    order = np.where(labels[:, None] == FOLLOWS, [0, 1], [1, 0])
    return Pairs(*(np.take_along_axis(values, order, 1) for values in pairs))
