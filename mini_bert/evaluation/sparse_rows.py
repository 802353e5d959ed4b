"""A matrix that is mostly zeros, row by row: texts by words.

X = SparseRows.of([[0, 2], [], [1]], [[1.0, 3.0], [], [2.0]], columns=3)
X @ W                 # (N, C) from W (D, C)
X.transposed @ G      # (D, C) from G (N, C)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np

from mini_bert.core.array import Array


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Row i has `values[start:end]` in the columns `indices[start:end]`, start and end being `indptr[i : i + 2]`."""

    indptr: Array
    indices: Array
    values: Array
    columns: int

    @classmethod
    def of(
        cls, indices: Sequence[Sequence[int]], values: Sequence[Sequence[float] | Array], columns: int
    ) -> Self:
        """From the columns and the values of each row."""
        indptr = np.cumsum([0, *map(len, indices)])
        return cls(
            indptr,
            np.fromiter(chain.from_iterable(indices), np.int64, int(indptr[-1])),
            np.concatenate([np.zeros(0), *values]),
            columns,
        )

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, self.columns

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __matmul__(self, W: Array) -> Array:
        """Y_i = Σ_j values_ij W_j over the entries of row i          W (D, C) → (N, C)"""
        found = np.zeros((W.shape[1], len(self)))
        if len(self.indices):
            starts = self.indptr[:-1][
                self.is_filled
            ]  # reduceat would give an empty row its neighbour's entry
            for column, sums in zip(W.T, found, strict=True):
                sums[self.is_filled] = np.add.reduceat(column[self.indices] * self.values, starts)
        return found.T

    @cached_property
    def is_filled(self) -> Array:
        return np.diff(self.indptr) > 0

    @cached_property
    def transposed(self) -> SparseRows:
        """Xᵀ: the entries sorted by column."""
        order = np.argsort(self.indices, kind="stable")
        counts = np.bincount(self.indices, minlength=self.columns)
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        return SparseRows(np.append(0, np.cumsum(counts)), rows[order], self.values[order], len(self))

    def rows(self, numbers: Array) -> SparseRows:
        """Some of the rows, in the order of their numbers."""
        sizes = np.diff(self.indptr)[numbers]
        indptr = np.append(0, np.cumsum(sizes))
        entries = np.repeat(self.indptr[numbers] - indptr[:-1], sizes) + np.arange(indptr[-1])
        return SparseRows(indptr, self.indices[entries], self.values[entries], self.columns)

    def dense(self) -> Array:
        """(N, D)"""
        found = np.zeros(self.shape)
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        np.add.at(found, (rows, self.indices), self.values)
        return found
