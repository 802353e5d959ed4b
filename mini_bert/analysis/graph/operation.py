"""One step of a pass: what it reads, what it makes, and which sum made each cell, there and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from mini_bert.analysis.sums import TURNED, Factors, Index, Places, Sum, at, called
from mini_bert.core.array import Array
from mini_bert.models.names import translate


class Equation(NamedTuple):
    """The same twice: in letters that a terminal shows, and in LaTeX. `where` says what a letter in it stands for."""

    text: str
    latex: str
    where: str = ""
    where_latex: str = ""

    @property
    def whole(self) -> tuple[str, str]:
        """In letters and in LaTeX, with what its letters stand for."""
        return joined([self.text], [self.where], ", "), joined([self.latex], [self.where_latex], r",\quad ")


def joined(parts: Iterable[str], wheres: Iterable[str], comma: str) -> str:
    """The sum of several right sides, and behind it what their letters stand for."""
    return comma.join([" + ".join(parts), *dict.fromkeys(where for where in wheres if where)])


class Between(NamedTuple):
    """An array that has no name in the pass, only here, computed when it is asked for; and its gradient.

    Both are given the numbers, and do not hold them: in a ring of references a pass would outlive its reading.
    """

    value: Callable[[Numbers], Array]
    gradient: Callable[[Numbers], Array]


class Numbers:
    """Every array of a pass by its dotted name: weights, activations, what lies between them, and gradients."""

    def __init__(
        self,
        acts: Mapping[str, Array],
        params: Mapping[str, Array],
        gradients: Callable[[], Mapping[str, Array]],
    ) -> None:
        self.acts, self.params, self.gradients = acts, params, gradients
        self.between: dict[str, Between] = {}
        self.made: dict[str, Array] = {}
        self.made_gradients: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name in self.acts:
            return self.acts[name]
        if name in self.params:
            return self.params[name]
        if name not in self.made:
            self.made[name] = self.between[name].value(self)
        return self.made[name]

    def gradient(self, name: str) -> Array:
        """dLoss/d(activation)"""
        if name not in self.between:
            return self.gradients()[name]
        if name not in self.made_gradients:
            self.made_gradients[name] = self.between[name].gradient(self)
        return self.made_gradients[name]

    def at(self, name: str, *places: Array | int, text: str = "") -> Factors:
        return at(self[name], name, *places, text=text)

    def slope_at(self, name: str, *places: Array | int) -> Factors:
        """The gradient of an activation at some places."""
        return at(self.gradient(name), name, *places, is_gradient=True)


class Made(Protocol):
    """What `output` is made of: `inputs`, which are activations, and `weights`; all by dotted names."""

    @property
    def output(self) -> str: ...

    @property
    def inputs(self) -> tuple[str, ...]: ...

    @property
    def weights(self) -> tuple[str, ...]: ...

    @property
    def kind(self) -> str: ...

    @property
    def equation(self) -> Equation: ...

    def cell(self, index: Index, numbers: Numbers) -> Sum:
        """The sum that made a cell of the output."""


class Operation(Made, Protocol):
    """A step on the way from the text to the loss: the gradient comes back through it."""

    def derivative(self, name: str) -> Equation:
        """How the gradient of an input or a weight comes from that of the output."""

    def slope(self, name: str, index: Index, numbers: Numbers) -> Sum:
        """What one cell of an input or a weight gets of its gradient through this operation."""


@dataclass(frozen=True)
class FromOne:
    """What is made of one activation, without weights."""

    output: str
    source: str

    weights = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source,)


LATEX = {
    "attn.mixed": r"\bar A",
    "attn.opening": "O",
    "attn.gate.out": r"O_{\text{pre}}",
    "attn.output.x": "C_O",
    "ffn.opening": "F_G",
    "ffn.content": "F_1",
}
"""Of activations that the guide has no letters for."""


def symbol(name: str) -> str:
    """A name as LaTeX."""
    if name.endswith(TURNED):
        return rf"\tilde{{{symbol(name.removesuffix(TURNED))}}}"
    if latex := translate(name, "dotted", "latex"):
        return latex
    match name.split("."):
        case ["encoder", "layers", i, *rest] if ".".join(rest) in LATEX:
            return f"{LATEX['.'.join(rest)]}^{{({i})}}"
    return r"\text{" + called(name).replace("_", r"\_") + "}"


def partial(name: str) -> str:
    """∂L/∂name as LaTeX."""
    return rf"\frac{{\partial L}}{{\partial {symbol(name)}}}"


def of_token(latex: str) -> str:
    """The row of a token, in LaTeX: braces, for the symbol may have an index of its own."""
    return f"{{{latex}}}_t"


def transposed(latex: str) -> str:
    return rf"{{{latex}}}^\top"


def everywhere(shape: tuple[int, ...]) -> Places:
    """The places of all cells of an array, one array of numbers for each axis."""
    return tuple(np.indices(shape).reshape(len(shape), -1))
