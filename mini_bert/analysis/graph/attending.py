"""Attention: scores from queries and keys, shares from scores, and a mixture of values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mini_bert.analysis.graph.operation import Equation, FromOne, Numbers, joined, partial, symbol, transposed
from mini_bert.analysis.graph.score_terms import ScoreTerm
from mini_bert.analysis.sums import Aside, Index, Sum, called, constant, product


@dataclass(frozen=True)
class Scores:
    """s_ij = Σ terms: how well each key fits each query, for all the reasons there are          (B, A, Tq, Tk)"""

    kind = "scores"

    output: str
    terms: tuple[ScoreTerm, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for term in self.terms for name in term.inputs))

    @property
    def weights(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for term in self.terms for name in term.weights))

    @property
    def equation(self) -> Equation:
        told = [term.equation for term in self.terms]
        return Equation(
            f"{called(self.output)} = {' + '.join(one.text for one in told)}",
            f"{symbol(self.output)} = {' + '.join(one.latex for one in told)}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        return sum((term.cell(index, numbers) for term in self.terms), Sum([]))

    def derivative(self, name: str) -> Equation:
        told = [term.derivative(name, self.output) for term in self.using(name)]
        return Equation(
            joined((one.text for one in told), (), ""), joined((one.latex for one in told), (), "")
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        return sum((term.slope(name, index, numbers, self.output) for term in self.using(name)), Sum([]))

    def using(self, name: str) -> list[ScoreTerm]:
        return [term for term in self.terms if name in (*term.inputs, *term.weights)]


@dataclass(frozen=True)
class Shares(FromOne):
    """p_ij = exp(s_ij − m) / Σ_k exp(s_ik − m), m the largest: scores become shares of attention"""

    kind = "softmax"

    undisturbed: str
    """What softmax made, before any hook: the backward pass reads this."""

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.output)} = exp({called(self.source)}) / Σ over keys",
            rf"{{{symbol(self.output)}}}_{{ij}} = \frac{{e^{{s_{{ij}}}}}}{{\sum_k e^{{s_{{ik}}}}}}",
            where_latex=f"s = {symbol(self.source)}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        *row, j = index
        keys = np.arange(numbers[self.source].shape[-1])
        every = numbers.at(self.source, *row, keys, text="exp({} − max)")
        exp = np.exp(every.values - every.values.max())
        own = replace(every, values=exp[j], places=index)
        total = product(replace(every, values=exp))
        return Sum(
            [product(own, constant(1 / exp.sum(), "1/Σ exp"))], [Aside("Σ exp", "Σ", float(exp.sum()), total)]
        )

    def derivative(self, name: str) -> Equation:
        p, dP = symbol(self.output), partial(self.output)
        return Equation(
            "p (dp − Σ over keys of p dp)",
            rf"{p} \odot \bigl({dP} - \textstyle\sum_k {{{p}}}_k\,{{{dP}}}_k\bigr)",
            f"p = {called(self.output)}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        row = index[:-1]
        keys = np.arange(numbers[self.source].shape[-1])
        own, every = numbers.at(self.undisturbed, *index), numbers.at(self.undisturbed, *row, keys)
        return Sum(
            [
                product(own, numbers.slope_at(self.output, *index)),
                product(constant(-1, "−1"), own, every, numbers.slope_at(self.output, *row, keys)),
            ]
        )


@dataclass(frozen=True)
class Mixture:
    """c_i = Σ_j p_ij v_j in each head, heads side by side          p (B, A, Tq, Tk), v (B, A, Tk, D) → c (B, Tq, H)"""

    kind = "mixture"

    output: str
    shares: str
    values: str
    weights: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.shares, self.values

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.output)} = {called(self.shares)} {called(self.values)}, heads side by side",
            rf"{symbol(self.output)} = {symbol(self.shares)}\,{symbol(self.values)}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        b, i, h = index
        Tk, D = numbers[self.values].shape[-2:]
        a, d, keys = h // D, h % D, np.arange(Tk)
        return Sum([product(numbers.at(self.shares, b, a, i, keys), numbers.at(self.values, b, a, keys, d))])

    def derivative(self, name: str) -> Equation:
        dc, dC = f"d {called(self.output)}", partial(self.output)
        if name == self.shares:
            return Equation(f"{dc} {called(self.values)}ᵀ", rf"{dC}\,{transposed(symbol(self.values))}")
        return Equation(f"{called(self.shares)}ᵀ {dc}", rf"{transposed(symbol(self.shares))}\,{dC}")

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        D = numbers[self.values].shape[-1]
        if name == self.shares:
            b, a, i, j = index
            each = np.arange(D)
            dc = numbers.slope_at(self.output, b, i, a * D + each)
            return Sum([product(dc, numbers.at(self.values, b, a, j, each))])
        b, a, j, d = index
        queries = np.arange(numbers[self.shares].shape[-2])
        dc = numbers.slope_at(self.output, b, queries, a * D + d)
        return Sum([product(numbers.at(self.shares, b, a, queries, j), dc)])
