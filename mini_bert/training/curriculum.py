"""From easy to hard: at first only the easiest rows are open, and more and more of them as training goes on.

    curriculum = Curriculum("length", by_length(rows), seed=0, until=0.5)
    curriculum.chosen(numbers, done)               # which rows stand in the place of these

At `done` of the run the easiest c of all rows are open, with c = √(c₀² + (1 − c₀²) done/until) (Platanios et al.
2019), and each row is drawn from them. From `until` on all rows come in the order they have without a curriculum.

Difficulties are measured on the rows of the first epoch, and until then only those are shown: in a row of two passages
they are the same two, with the same answer, whenever it is drawn. Sums are made of whole numbers, so that the order of
the rows is the same on every machine; rows that are equally hard keep the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform
from mini_bert.data.rows import Rows

ROWS_AT_ONCE = 4096
OPEN_AT_FIRST = 0.1
FINENESS = 1 << 20
"""Steps in a unit of surprise: coarser than logarithms differ from machine to machine."""


@dataclass(frozen=True)
class Curriculum:
    """`difficulty` (N,) of each row of the first epoch. The repr tells all but the rows, which have their own."""

    name: str
    difficulty: Array = field(repr=False, compare=False)
    seed: int = 0
    until: float = 0.5
    easiest_first: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "easiest_first", np.argsort(self.difficulty, kind="stable"))

    def open_share(self, done: float) -> float:
        return sqrt(min(1.0, OPEN_AT_FIRST**2 + (1 - OPEN_AT_FIRST**2) * done / self.until))

    def chosen(self, numbers: Array, done: float) -> Array:
        """The rows that stand in the place of these numbers (n,)."""
        if done >= self.until:
            return numbers
        open_rows = max(1, int(self.open_share(done) * len(self.easiest_first)))
        lots = uniform(streams("curriculum", self.seed, numbers), 0, 1)[:, 0]
        chosen: Array = self.easiest_first[(lots * open_rows).astype(np.int64)]
        return chosen


def by_length(rows: Rows) -> Array:
    """The mean length of the sentences that the tokens of each row stand in (N,).

    Only the ends of each run of text in a row are searched for; between them, tokens in whole sentences add up to Σ n².
    """
    breaks = rows.cache.breaks.astype(np.int64)
    lengths = np.diff(breaks, prepend=0)
    squares = np.concatenate([[0], np.cumsum(lengths * lengths)])
    found = []
    for numbers in blocks(rows):
        row, start, end = runs(rows, numbers)
        first, last = np.searchsorted(breaks, np.stack([start, end - 1]), side="right")
        before, behind = start - (breaks[first] - lengths[first]), breaks[last] - end
        sums = squares[last + 1] - squares[first] - before * lengths[first] - behind * lengths[last]
        total, tokens = (np.bincount(row, values, len(numbers)) for values in (sums, end - start))
        found.append(total / np.maximum(tokens, 1))
    return np.concatenate(found)


def runs(rows: Rows, numbers: Array) -> tuple[Array, Array, Array]:
    """The unbroken runs of text in some rows: in which of them each is, and where it starts and ends in all text."""
    documents, offsets = rows.places_numbered(numbers)
    places = rows.cache.starts[documents] + offsets
    is_text = np.pad(offsets < rows.cache.lengths[documents], ((0, 0), (1, 1)))
    goes_on = np.pad(np.diff(places) == 1, ((0, 0), (1, 1))) & is_text[:, :-1] & is_text[:, 1:]
    row, first = np.nonzero(is_text[:, 1:-1] & ~goes_on[:, :-1])
    _, last = np.nonzero(is_text[:, 1:-1] & ~goes_on[:, 1:])
    return row, places[row, first], places[row, last] + 1


def by_rarity(rows: Rows, counts: Array) -> Array:
    """The mean of −ln p over the tokens of each row (N,), by how often (V,) each occurs in the text."""
    surprise = -np.log((counts + 1) / (counts + 1).sum())
    steps = np.round(surprise * FINENESS).astype(np.int64)
    special = np.isin(np.arange(len(counts)), specials(rows))
    found = []
    for numbers in blocks(rows):
        ids = rows.numbered(numbers)
        is_text = ~special[ids]
        found.append((steps[ids] * is_text).sum(1) / (FINENESS * np.maximum(is_text.sum(1), 1)))
    return np.concatenate(found)


def specials(rows: Rows) -> list[int]:
    layout = rows.layout
    pad = () if layout.pad is None else (layout.pad,)
    return [*layout.before, *layout.between, *layout.after, *pad]


def blocks(rows: Rows) -> Iterator[Array]:
    """The numbers of all rows of the first epoch, some thousand at a time."""
    for first in range(0, rows.rows_per_epoch, ROWS_AT_ONCE):
        yield np.arange(first, min(first + ROWS_AT_ONCE, rows.rows_per_epoch))
