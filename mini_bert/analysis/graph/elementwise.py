"""Operations on each number by itself: the same number, sums, products, and the curves of activations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mini_bert.analysis.graph.operation import Equation, FromOne, Numbers, partial, symbol
from mini_bert.analysis.sums import Index, Sum, called, constant, product
from mini_bert.core.array import Array
from mini_bert.core.functions.activations import gelu, gelu_tanh, sigmoid, sigmoid_backward
from mini_bert.core.layer import Layer
from mini_bert.core.layers import GELU, GELUTanh, ReLU, SiLU, Tanh
from mini_bert.core.trace import Trace

TIMES = r" \odot "


@dataclass(frozen=True)
class Added:
    """y = a + b, or y = a under another name"""

    output: str
    inputs: tuple[str, ...]
    weights: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "sum" if len(self.inputs) > 1 else "same"

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.output)} = {' + '.join(map(called, self.inputs))}",
            f"{symbol(self.output)} = {' + '.join(map(symbol, self.inputs))}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        return Sum(product(numbers.at(name, *index)) for name in self.inputs)

    def derivative(self, name: str) -> Equation:
        return Equation(f"d {called(self.output)}", partial(self.output))

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        return Sum([product(numbers.slope_at(self.output, *index))])


@dataclass(frozen=True)
class Multiplied:
    """y = a · b, number by number: one of them opens and closes the other"""

    kind = "product"

    output: str
    inputs: tuple[str, ...]
    weights: tuple[str, ...] = ()

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.output)} = {' · '.join(map(called, self.inputs))}",
            f"{symbol(self.output)} = {TIMES.join(map(symbol, self.inputs))}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        return Sum([product(*(numbers.at(name, *index) for name in self.inputs))])

    def derivative(self, name: str) -> Equation:
        other = self.other(name)
        return Equation(
            f"d {called(self.output)} · {called(other)}", rf"{partial(self.output)} \odot {symbol(other)}"
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        return Sum([product(numbers.slope_at(self.output, *index), numbers.at(self.other(name), *index))])

    def other(self, name: str) -> str:
        first, second = self.inputs
        return second if name == first else first


class Shape(NamedTuple):
    """An activation as a share that lets x through, or as a whole if it is none: text, LaTeX, f(x) or f(x)/x."""

    text: str
    latex: str
    share: Callable[[Array], Array]
    is_share: bool = True


SHAPES: dict[type[Layer], Shape] = {
    ReLU: Shape("[{} > 0]", r"[x > 0]", lambda x: x > 0),
    GELU: Shape("Φ({})", r"\Phi(x)", lambda x: gelu(x)[1]),
    GELUTanh: Shape(
        "(1 + tanh u({}))/2", r"\tfrac12\bigl(1 + \tanh u(x)\bigr)", lambda x: (1 + gelu_tanh(x)[1]) / 2
    ),
    SiLU: Shape("σ({})", r"\sigma(x)", sigmoid),
    Tanh: Shape("tanh({})", r"\tanh(x)", np.tanh, is_share=False),
}
SLOPES = {
    ReLU: ("[x > 0]", r"[x > 0]"),
    GELU: ("(Φ(x) + x φ(x))", r"\bigl(\Phi(x) + x\,\varphi(x)\bigr)"),
    GELUTanh: ("gelu′(x)", r"\operatorname{gelu}'(x)"),
    SiLU: ("σ(x)(1 + x (1 − σ(x)))", r"\sigma(x)\bigl(1 + x(1 - \sigma(x))\bigr)"),
    Tanh: ("(1 − tanh² x)", r"\bigl(1 - \tanh^2 x\bigr)"),
}


@dataclass(frozen=True)
class Activated(FromOne):
    """y = f(x), for ReLU and its kind x times the share of it that passes: x · [x > 0], x · Φ(x), x · σ(x)"""

    kind = "activation"

    layer: Layer

    @property
    def shape(self) -> Shape:
        return SHAPES[type(self.layer)]

    @property
    def equation(self) -> Equation:
        share = self.shape
        passed, times = share.text.format("x"), "x · " if share.is_share else ""
        return Equation(
            f"{called(self.output)} = {times}{passed}",
            f"{symbol(self.output)} = {'x' + TIMES if share.is_share else ''}{share.latex}",
            f"x = {called(self.source)}",
            f"x = {symbol(self.source)}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        x = numbers.at(self.source, *index)
        share = numbers.at(self.source, *index, text=self.shape.text).mapped(self.shape.share)
        return Sum([product(x, share) if self.shape.is_share else product(share)])

    def derivative(self, name: str) -> Equation:
        text, latex = SLOPES[type(self.layer)]
        return Equation(
            f"d {called(self.output)} · {text}",
            rf"{partial(self.output)} \odot {latex}",
            f"x = {called(self.source)}",
            f"x = {symbol(self.source)}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        x = np.atleast_1d(np.asarray(numbers[self.source][index], np.float64))
        t = Trace({})
        self.layer.forward(x, t)
        steepness = self.layer.backward(np.ones_like(x), t)
        return Sum(
            [product(numbers.slope_at(self.output, *index), constant(steepness, SLOPES[type(self.layer)][0]))]
        )


@dataclass(frozen=True)
class Opened:
    """y = σ(x), how far a gate is open"""

    kind = "activation"

    output: str
    inputs: tuple[str, ...]
    weights: tuple[str, ...] = ()

    @property
    def equation(self) -> Equation:
        (x,) = self.inputs
        return Equation(
            f"{called(self.output)} = σ({called(x)})", rf"{symbol(self.output)} = \sigma({symbol(x)})"
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        return Sum([product(numbers.at(self.inputs[0], *index, text="σ({})").mapped(sigmoid))])

    def derivative(self, name: str) -> Equation:
        y = symbol(self.output)
        return Equation(
            f"d {called(self.output)} · y (1 − y)",
            rf"{partial(self.output)} \odot y \odot (1 - y)",
            f"y = {called(self.output)}",
            f"y = {y}",
        )

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        y = np.atleast_1d(np.asarray(numbers[self.output][index], np.float64))
        steepness = sigmoid_backward(np.ones_like(y), y)
        return Sum([product(numbers.slope_at(self.output, *index), constant(steepness, "y (1 − y)"))])


@dataclass(frozen=True)
class Kept(FromOne):
    """What an activation keeps of x for its backward pass, like Φ(x)"""

    kind = "activation"

    text: str
    function: Callable[[Array], Array]

    @property
    def equation(self) -> Equation:
        return Equation(
            f"{called(self.output)} = {self.text.format(called(self.source))}",
            rf"\text{{{self.text.format('x')}}},\quad x = {symbol(self.source)}",
        )

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        x = numbers.at(self.source, *index, text=self.text)
        return Sum([product(x.mapped(self.function))])
