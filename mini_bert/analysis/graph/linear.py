"""Operations with weights: linear maps, rows of tables, and tokens pooled into one vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mini_bert.analysis.graph.operation import (
    Equation,
    FromOne,
    Numbers,
    everywhere,
    of_token,
    partial,
    symbol,
    transposed,
)
from mini_bert.analysis.sums import Index, Places, Products, Sum, called, constant, product
from mini_bert.core.array import Array


@dataclass(frozen=True)
class LinearMap:
    """y_i = Σ_j x_j W_ij + b_i; with `heads` (A), y is (B, A, T, D); `single`: i is 0, and y has no axis for it"""

    kind = "linear"

    output: str
    source: str
    weight: str
    bias: str | None = None
    heads: int | None = None
    single: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.weight,) if self.bias is None else (self.weight, self.bias)

    @property
    def equation(self) -> Equation:
        x, W = called(self.source), written(self.weight)
        added = (f" + {called(self.bias)}", f" + {symbol(self.bias)}") if self.bias else ("", "")
        return Equation(
            f"{called(self.output)} = {x} {W}{added[0]}",
            rf"{symbol(self.output)} = {symbol(self.source)}\,{written_latex(self.weight)}{added[1]}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        row, i = self.row_and_column(index, numbers)
        j = np.arange(numbers[self.weight].shape[1])
        groups = [product(numbers.at(self.source, *row, j), numbers.at(self.weight, i, j))]
        if self.bias is not None:
            groups.append(product(numbers.at(self.bias, i)))
        return Sum(groups)

    def derivative(self, name: str) -> Equation:
        dy, dY = f"d {called(self.output)}", partial(self.output)
        if name == self.bias:
            return Equation(f"Σ over tokens of {dy}", rf"\sum_t {of_token(dY)}")
        if name == self.weight:
            return Equation(
                f"Σ over tokens of {called(self.source)} · {dy}",
                rf"\sum_t {transposed(of_token(symbol(self.source)))}\,{of_token(dY)}",
            )
        return Equation(f"{dy} {written(self.weight)}ᵀ", rf"{dY}\,{transposed(written_latex(self.weight))}")

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        rows = everywhere(numbers[self.source].shape[:-1])
        if name == self.bias:
            return Sum([product(numbers.slope_at(self.output, *self.places(rows, index[0], numbers)))])
        if name == self.weight:
            i, j = index
            dy = numbers.slope_at(self.output, *self.places(rows, i, numbers))
            return Sum([product(numbers.at(self.source, *rows, j), dy)])
        *row, j = index
        i_all = np.arange(len(numbers[self.weight]))
        dy = numbers.slope_at(self.output, *self.places(tuple(row), i_all, numbers))
        return Sum([product(dy, numbers.at(self.weight, i_all, j))])

    def row_and_column(self, index: Index, numbers: Numbers) -> tuple[Index, int]:
        """The token that a cell of y belongs to, and which of its numbers it is."""
        if self.heads is not None:
            b, a, t, d = index
            return (b, t), a * numbers[self.output].shape[-1] + d
        return (index, 0) if self.single else (index[:-1], index[-1])

    def places(self, row: Places, i: Array | int, numbers: Numbers) -> Places:
        """Where number i of a token is in y."""
        if self.heads is not None:
            D = numbers[self.output].shape[-1]
            b, t = row
            return b, i // D, t, i % D
        return row if self.single else (*row, i)


def written(weight: str) -> str:
    """A weight as x W has it: tied words are the table of tokens, read the other way."""
    return called(weight) if called(weight).startswith("W") else f"{called(weight)}ᵀ"


def written_latex(weight: str) -> str:
    return symbol(weight) if called(weight).startswith("W") else transposed(symbol(weight))


@dataclass(frozen=True)
class Rows:
    """y_t = x_t + Σ of rows of tables, each table with the row that token t has in it; x may be missing"""

    kind = "lookup"

    output: str
    source: str | None
    tables: Mapping[str, Array]
    """The row (B, T) of each table, by its name."""

    @property
    def inputs(self) -> tuple[str, ...]:
        return () if self.source is None else (self.source,)

    @property
    def weights(self) -> tuple[str, ...]:
        return tuple(self.tables)

    @property
    def equation(self) -> Equation:
        rows = [f"{called(name)}[{of_row(name)}]" for name in self.tables]
        latex = [rf"{symbol(name)}_{{\text{{{of_row(name)}}}(t)}}" for name in self.tables]
        return Equation(
            f"{called(self.output)} = {' + '.join([*map(called, self.inputs), *rows])}",
            " = ".join(
                (
                    of_token(symbol(self.output)),
                    " + ".join([*map(of_token, map(symbol, self.inputs)), *latex]),
                )
            ),
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        b, t, j = index
        rows = [product(numbers.at(name, int(row[b, t]), j)) for name, row in self.tables.items()]
        return Sum([*(product(numbers.at(name, *index)) for name in self.inputs), *rows])

    def derivative(self, name: str) -> Equation:
        if name == self.source:
            return Equation(f"d {called(self.output)}", partial(self.output))
        return Equation(
            f"Σ of d {called(self.output)} over the tokens that have this row",
            rf"\sum_{{t:\,\text{{row}}(t) = r}} {of_token(partial(self.output))}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        if name == self.source:
            return Sum([product(numbers.slope_at(self.output, *index))])
        row, j = index
        b, t = np.nonzero(self.tables[name] == row)
        return Sum([product(numbers.slope_at(self.output, b, t, j))] if len(b) else [])


def of_row(table: str) -> str:
    """What decides which row of a table a token has."""
    known = {"embeddings.token.weight": "ids", "embeddings.token_type.weight": "segments"}
    return known.get(table, "places")


@dataclass(frozen=True)
class Pooled(FromOne):
    """y = Σ_t s_t x_t: one vector for the text, of which token t has the share s_t          (B, T, H) → (B, H)"""

    kind = "pooled"

    shares: Array

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.output)} = Σ over tokens of share · {called(self.source)}",
            rf"{symbol(self.output)} = \sum_t s_t\,{of_token(symbol(self.source))}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        b, h = index
        t = np.flatnonzero(self.shares[b])
        return Sum([Products((constant(self.shares[b, t], "share"), numbers.at(self.source, b, t, h)))])

    def derivative(self, name: str) -> Equation:
        return Equation(f"share · d {called(self.output)}", rf"s_t\,{partial(self.output)}")

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        b, t, h = index
        return Sum([product(constant(self.shares[b, t], "share"), numbers.slope_at(self.output, b, h))])
