"""From easy to hard: at first only the easiest rows are open, and more and more of them as training goes on.

    curriculum = Curriculum(by_length(rows), seed=0, until=0.5)
    curriculum.chosen(numbers, done)               # which rows stand in the place of these

At `done` of the run the easiest c of all rows are open, with c = √(c₀² + (1 − c₀²) done/until) (Platanios et al.
2019), and each row is drawn from them. From `until` on all rows come in the order they have without a curriculum.
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
    """The mean length of the sentences that the tokens of each row stand in (N,)."""
    breaks = rows.cache.breaks.astype(np.int64)
    lengths = np.diff(breaks, prepend=0)
    found = []
    for numbers in blocks(rows):
        documents, offsets = rows.places_numbered(numbers)
        is_text = offsets < rows.cache.lengths[documents]
        places = np.where(is_text, rows.cache.starts[documents] + offsets, 0)
        sentence = np.minimum(np.searchsorted(breaks, places, side="right"), len(breaks) - 1)
        found.append((lengths[sentence] * is_text).sum(1) / np.maximum(is_text.sum(1), 1))
    return np.concatenate(found)


def by_rarity(rows: Rows, counts: Array) -> Array:
    """The mean of −ln p over the tokens of each row (N,), by how often (V,) each occurs in the text."""
    surprise = -np.log((counts + 1) / (counts + 1).sum())
    special = np.isin(np.arange(len(counts)), specials(rows))
    found = []
    for numbers in blocks(rows):
        ids = rows.numbered(numbers)
        is_text = ~special[ids]
        found.append((surprise[ids] * is_text).sum(1) / np.maximum(is_text.sum(1), 1))
    return np.concatenate(found)


def specials(rows: Rows) -> list[int]:
    layout = rows.layout
    pad = () if layout.pad is None else (layout.pad,)
    return [*layout.before, *layout.between, *layout.after, *pad]


def blocks(rows: Rows) -> Iterator[Array]:
    """The numbers of all rows of the first epoch, some thousand at a time."""
    for first in range(0, rows.rows_per_epoch, ROWS_AT_ONCE):
        yield np.arange(first, min(first + ROWS_AT_ONCE, rows.rows_per_epoch))
