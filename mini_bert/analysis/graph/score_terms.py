"""The terms that attention scores are summed from: each tells its share of a score, and of a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mini_bert.analysis.graph.operation import Equation, Numbers, partial, symbol, transposed
from mini_bert.analysis.sums import Index, Sum, called, constant, product
from mini_bert.core.array import Array


class ScoreTerm(Protocol):
    @property
    def inputs(self) -> tuple[str, ...]: ...

    @property
    def weights(self) -> tuple[str, ...]: ...

    @property
    def equation(self) -> Equation: ...

    def cell(self, index: Index, numbers: Numbers) -> Sum: ...

    def derivative(self, name: str, scores: str) -> Equation: ...

    def slope(self, name: str, index: Index, numbers: Numbers, scores: str) -> Sum: ...


@dataclass(frozen=True)
class Match:
    """q_i · k_j / √(nD)"""

    query: str
    key: str
    scale: float
    weights: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.query, self.key

    @property
    def scaling(self) -> str:
        return f"1/√{round(self.scale**-2)}"

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.query)} {called(self.key)}ᵀ · {self.scaling}",
            rf"\frac{{{symbol(self.query)}\,{transposed(symbol(self.key))}}}{{\sqrt{{{round(self.scale**-2)}}}}}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        b, a, i, j = index
        each = np.arange(numbers[self.query].shape[-1])
        q, k = numbers.at(self.query, b, a, i, each), numbers.at(self.key, b, a, j, each)
        return Sum([product(q, k, constant(self.scale, self.scaling))])

    def derivative(self, name: str, scores: str) -> Equation:
        ds, dS = f"d {called(scores)}", partial(scores)
        root = rf"\sqrt{{{round(self.scale**-2)}}}"
        if name == self.query:
            return Equation(
                f"{ds} {called(self.key)} · {self.scaling}", rf"\frac{{1}}{{{root}}}{dS}\,{symbol(self.key)}"
            )
        return Equation(
            f"{ds}ᵀ {called(self.query)} · {self.scaling}",
            rf"\frac{{1}}{{{root}}}{transposed(dS)}\,{symbol(self.query)}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers, scores: str) -> Sum:
        b, a, row, d = index
        scale = constant(self.scale, self.scaling)
        if name == self.query:
            keys = np.arange(numbers[self.key].shape[-2])
            return Sum(
                [
                    product(
                        numbers.slope_at(scores, b, a, row, keys), numbers.at(self.key, b, a, keys, d), scale
                    )
                ]
            )
        queries = np.arange(numbers[self.query].shape[-2])
        return Sum(
            [
                product(
                    numbers.slope_at(scores, b, a, queries, row),
                    numbers.at(self.query, b, a, queries, d),
                    scale,
                )
            ]
        )


@dataclass(frozen=True)
class ByDistance:
    """b[i − j], a number for each head and distance; `rows` (Tq, Tk) says which"""

    table: str
    rows: Array
    inputs: tuple[str, ...] = ()

    @property
    def weights(self) -> tuple[str, ...]:
        return (self.table,)

    @property
    def equation(self) -> Equation:
        return Equation(f"{called(self.table)}[i − j]", rf"{{{symbol(self.table)}}}_{{i - j}}")

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        _, a, i, j = index
        return Sum([product(numbers.at(self.table, a, int(self.rows[i, j])))])

    def derivative(self, name: str, scores: str) -> Equation:
        return Equation(
            f"Σ of d {called(scores)} over the pairs at this distance",
            rf"\sum_{{i - j = \delta}} {{{partial(scores)}}}_{{ij}}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers, scores: str) -> Sum:
        a, row = index
        i, j = np.nonzero(self.rows == row)
        B = len(numbers[scores])
        b = np.repeat(np.arange(B), len(i))
        return Sum([product(numbers.slope_at(scores, b, a, np.tile(i, B), np.tile(j, B)))] if len(i) else [])


@dataclass(frozen=True)
class Unseen:
    """−10⁹ where a key must not be seen: padding, or what comes later          added (B, A, Tq, Tk)"""

    name: str
    added: Array
    inputs: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()

    @property
    def equation(self) -> Equation:
        return Equation(f"−10⁹ where {self.name} hides the key", r"-10^9\,[\text{hidden}]")

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        hidden = float(self.added[index])
        return Sum([product(constant(hidden, self.name))] if hidden else [])

    def derivative(self, name: str, scores: str) -> Equation:
        return Equation("0", "0")

    def slope(self, name: str, index: Index, numbers: Numbers, scores: str) -> Sum:
        return Sum([])
