"""Draws that belong to rows of a corpus: the same for (seed, row number) in every batch and on every worker.

masking(ids, k, RowDraws(seed, row_numbers))
"""

from collections.abc import Iterable
from math import prod

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform


class RowDraws:
    """Random numbers for many rows at once, with the methods of a NumPy generator that masking needs.

    They are counted, not drawn from a generator for each row, which would take most of masking's time.
    """

    def __init__(self, seed: int, rows: Iterable[int] | Array, purpose: str = "masking") -> None:
        numbers = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, np.int64)
        self.starts = streams(purpose, seed, numbers)
        self.drawn = 0

    def random(self, shape: tuple[int, ...]) -> Array:
        self._check(shape)
        count = prod(shape[1:])
        numbers = uniform(self.starts, self.drawn, count)
        self.drawn += count
        return numbers.reshape(shape)

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> Array:
        return low + (self.random(shape) * (high - low)).astype(np.int64)

    def _check(self, shape: tuple[int, ...]) -> None:
        if shape[0] != len(self.starts):
            given = len(self.starts)
            raise ValueError(f"{given} row numbers for {shape[0]} sequences; give one number for each")
