"""Every array of a question by its name: activations, weights, and the gradients of both.

Weights are seen as their short names see them, so that x W + b holds as written; an index of a weight is one into
that view, whichever name it came with. Gradients are those of the pass in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mini_bert.analysis.gradient_story import without_gradient
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.sums import called
from mini_bert.core.array import Array
from mini_bert.errors import unknown
from mini_bert.explorer.axes import Axis, activation_axes, weight_axes
from mini_bert.models.names import as_short, dotted, find, short

Of = Literal["value", "gradient", "weight", "weight_gradient"]


@dataclass(frozen=True)
class Tensor:
    """An array with a name for each of its axes."""

    name: str
    dotted: str
    of: Of
    array: Array
    axes: tuple[Axis, ...]

    @property
    def label(self) -> str:
        return f"{'d ' if 'gradient' in self.of else ''}{called(self.dotted)}"


def tensor_of(reading: Reading, name: str, of: Of) -> Tensor:
    """By dotted or short name."""
    full = dotted(name)
    if of in ("weight", "weight_gradient"):
        array = weight(reading, name, full) if of == "weight" else weight_gradient(reading, name, full)
        row = find(full, "dotted")
        array = array.T if row and row[0].transposed else array
        axes = weight_axes(full, array.shape, reading)
    else:
        array = value(reading, name, full) if of == "value" else gradient(reading, name, full)
        axes = activation_axes(full, array.shape, reading)
    assert tuple(axis.size for axis in axes) == array.shape
    return Tensor(short(full), full, of, array, axes)


def value(reading: Reading, name: str, full: str) -> Array:
    numbers = reading.graph.numbers
    if full in numbers.acts or full in numbers.between:
        return numbers[full]
    if full in numbers.params:
        raise ValueError(f'{name}: this is a weight; ask for it with of="weight"')
    known = [*numbers.acts, *numbers.between]
    raise ValueError(unknown("activation", name, [*map(short, known), *known]))


def weight(reading: Reading, name: str, full: str) -> Array:
    params = reading.passed.trace.params
    if full not in params:
        raise ValueError(unknown("weight", name, [*map(short, params), *params]))
    return params[full]


def gradient(reading: Reading, name: str, full: str) -> Array:
    graph = asked_of(reading).graph
    known = graph.gradients()
    if full in known:
        return known[full]
    if full in graph.numbers.between and graph.used[full]:
        return graph.numbers.gradient(full)
    raise ValueError(without_gradient(graph, name, known))


def weight_gradient(reading: Reading, name: str, full: str) -> Array:
    known = asked_of(reading).passed.gradients.arrays
    if full not in known:
        raise ValueError(unknown("weight", name, [*map(short, known), *known]))
    return known[full]


def asked_of(reading: Reading) -> Reading:
    """The pass in float64, if something is asked for in it: without a loss there is no gradient."""
    if reading.passed.labels is None:
        raise ValueError(
            "nothing is to be told in this text, and without a loss there is no gradient; hide a piece"
        )
    return reading.exact


def stored(full: str, index: tuple[int, ...]) -> tuple[int, ...]:
    """An index of a weight as its short name sees it, into the array that is stored; and the other way round."""
    return as_short(full, index)


def statistics(array: Array) -> dict[str, float | int]:
    """Mean, spread, ends, length, and how many numbers are exactly zero."""
    x = np.asarray(array, np.float64)
    return {
        "mean": float(x.mean()),
        "std": float(x.std()),
        "min": float(x.min()),
        "max": float(x.max()),
        "norm": float(np.linalg.norm(x)),
        "zeros": int(x.size - np.count_nonzero(x)),
        "size": int(x.size),
    }
