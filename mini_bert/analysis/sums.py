"""A number as the sum of products that made it, each factor with its place in the model, the largest product first.

story = Sum([product(at(x, (0, 3, columns)), at(W, (7, columns))), product(at(b, 7))])
story.value                       # all of it
story.largest(10)                 # the ten largest products, and what the others add up to
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.models.names import as_short, short

TURNED = ".turned"
"""Ends the names of queries and keys that rotary positions have turned."""
Index = tuple[int, ...]
Places = tuple["Array | int", ...]
"""An index of which some axes are arrays: the places of many cells at once."""


@dataclass(frozen=True)
class Factor:
    """A number with its label; where it is a cell of a weight, an activation or a gradient, `name` and `index` too."""

    label: str
    value: float
    name: str | None = None
    index: Index | None = None
    is_gradient: bool = False


class Term(NamedTuple):
    """A product of factors, one of those that are added up."""

    value: float
    factors: tuple[Factor, ...]

    @property
    def label(self) -> str:
        return " · ".join(factor.label for factor in self.factors)


class Largest(NamedTuple):
    """The largest terms of a sum, and how many others there are, with their sum."""

    terms: tuple[Term, ...]
    others: int
    rest: float


@dataclass(frozen=True)
class Factors:
    """The same factor of many products: a number for each of them."""

    values: Array
    text: str = ""
    name: str | None = None
    places: Places | None = None
    is_gradient: bool = False

    def mapped(self, function: Callable[[Array], Array]) -> Factors:
        """A function of these numbers, under the label that they have."""
        return replace(self, values=np.asarray(function(np.atleast_1d(self.values)), np.float64))

    def some(self, numbers: Array, count: int) -> list[Factor]:
        """Those of some of the products, of which there are `count`."""
        values = np.broadcast_to(self.values, (count,))[numbers].tolist()
        if self.name is None or self.places is None:
            return [Factor(self.text, value) for value in values]
        axes = [np.broadcast_to(axis, (count,))[numbers].tolist() for axis in self.places]
        found = []
        for value, index in zip(values, zip(*axes, strict=True), strict=True):
            cell = cell_label(self.name, index, self.is_gradient)
            label = self.text.format(cell) if self.text else cell
            found.append(Factor(label, value, self.name, index, self.is_gradient))
        return found


@dataclass(frozen=True)
class Products:
    """Products that have their factors from the same places: x[0, 3, j] · W[7, j] for every j."""

    factors: tuple[Factors, ...]

    @cached_property
    def values(self) -> Array:
        value: Array = np.atleast_1d(
            np.prod(np.broadcast_arrays(*(one.values for one in self.factors)), axis=0)
        )
        return value

    def terms(self, numbers: Array) -> list[Term]:
        """Some of them, by their numbers."""
        factors = [one.some(numbers, len(self.values)) for one in self.factors]
        return [
            Term(value, those)
            for value, those in zip(self.values[numbers].tolist(), zip(*factors, strict=True), strict=True)
        ]


@dataclass(frozen=True)
class Aside:
    """A number that many terms have in common, like a mean, told once: `value` is `equation` of the sum of products."""

    label: str
    equation: str
    value: float
    products: Products

    def largest(self, most: int | None) -> Largest:
        return Sum([self.products]).largest(most)


class Sum:
    """Σ of products, with asides on what they have in common."""

    def __init__(self, groups: Iterable[Products], asides: Iterable[Aside] = ()) -> None:
        self.groups, self.asides = list(groups), list(asides)

    @property
    def value(self) -> float:
        return float(sum(group.values.sum() for group in self.groups))

    def __add__(self, other: Sum) -> Sum:
        return Sum([*self.groups, *other.groups], [*self.asides, *other.asides])

    def largest(self, most: int | None) -> Largest:
        """The largest terms, by size; `most` None for all."""
        if not self.groups:
            return Largest((), 0, 0.0)
        values = np.concatenate([group.values for group in self.groups])
        owner = np.repeat(np.arange(len(self.groups)), [len(group.values) for group in self.groups])
        number = np.concatenate([np.arange(len(group.values)) for group in self.groups])
        order = np.argsort(-np.abs(values), kind="stable")
        told, others = order[:most], order[len(order) if most is None else most :]
        found: dict[int, Term] = {}
        for place, group in enumerate(self.groups):
            own = told[owner[told] == place]
            found |= dict(zip(own.tolist(), group.terms(number[own]), strict=True))
        terms = tuple(found[one] for one in told.tolist())
        return Largest(terms, len(others), float(values[others].sum()))


def product(*factors: Factors) -> Products:
    return Products(factors)


def at(array: Array, name: str, *places: Array | int, text: str = "", is_gradient: bool = False) -> Factors:
    """The numbers of a named array at some places, in float64; `text` is written around the cell's name: "exp({})"."""
    return Factors(np.asarray(array[places], np.float64), text, name, places, is_gradient)


def constant(value: float | Array, text: str) -> Factors:
    return Factors(np.asarray(value, np.float64), text)


def cell_label(name: str, index: Index, is_gradient: bool = False) -> str:
    """A cell as the guide would write it.

    >>> cell_label("encoder.layers.0.attn.query.weight", (7, 3)), cell_label("head.logits", (0, 1, 2), True)
    ('W_Q_0[3, 7]', 'd logits[0, 1, 2]')
    """
    numbers = ", ".join(map(str, as_short(name, index)))
    return f"{'d ' if is_gradient else ''}{called(name)}[{numbers}]"


def called(name: str) -> str:
    """A name to be read: the guide's, or one in its manner where it has none.

    >>> called("encoder.layers.0.attn.q.turned"), called("encoder.layers.0.ffn.content")
    ('turned Q_0', 'ffn_content_0')
    """
    if name.endswith(TURNED):
        return f"turned {short(name.removesuffix(TURNED))}"
    match name.split("."):
        case ["encoder", "layers", i, *rest] if short(name) == name:
            return f"{'_'.join(rest)}_{i}"
    return short(name)
