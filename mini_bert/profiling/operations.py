"""What NumPy is asked to do, by kind and size, as far as the time depends on it."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

Shape = tuple[int, ...]

KINDS = {
    "exp": "exp",
    "log": "exp",
    "tanh": "tanh",
    "sin": "tanh",
    "cos": "tanh",
    "divide": "divide",
    "sqrt": "divide",
}
"""Functions that take longer than to add or multiply does."""


class Operation(NamedTuple):
    """What NumPy is asked to do in one call.

    A "product" has the `sizes` (matrices, m, k, n). Any other kind has (entries, arrays, run): how many entries, in
    how many arrays as large as that, and how many follow one another before NumPy has to begin another row.
    """

    kind: str
    sizes: tuple[int, ...]

    @property
    def flops(self) -> int:
        return 2 * prod(self.sizes) if self.kind == "product" else 0


def product(a: Shape, b: Shape) -> tuple[Shape, Operation]:
    """The shape of a @ b; vectors are matrices of one row or column."""
    rows, columns = (a if len(a) > 1 else (1, *a)), (b if len(b) > 1 else (*b, 1))
    stack = np.broadcast_shapes(rows[:-2], columns[:-2])
    (m, k), n = rows[-2:], columns[-1]
    shape = (*stack, *((m,) if len(a) > 1 else ()), *((n,) if len(b) > 1 else ()))
    if len(a) == 1 or len(b) == 1:
        return shape, Operation("vector product", (m * k * n, 1, columns[-1] if len(a) == 1 else k))
    return shape, Operation("product", (prod(stack), m, k, n))


def elementwise(kind: str, shape: Shape, inputs: tuple[Any, ...], out: tuple[Any, ...] | None) -> Operation:
    """One number after the other, in as many arrays of this shape as there are among inputs and output."""
    entries = prod(shape)
    whole = {id(getattr(x, "memory", x)) for x in (*inputs, *(out or ())) if np.size(x) == entries}
    repeats = any(1 < np.size(x) < entries for x in inputs)
    return Operation(kind, (entries, len(whole) + (out is None), shape[-1] if repeats else entries))


def reduction(kind: str, before: Shape, after: Shape) -> Operation:
    return Operation(kind, (prod(before), 1, prod(before) // max(1, prod(after))))


def reduced(shape: Shape, axis: int | tuple[int, ...] | None, keepdims: bool) -> Shape:
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    gone = [one % len(shape) for one in axes]
    sizes = [(1 if i in gone else size) for i, size in enumerate(shape) if keepdims or i not in gone]
    return tuple(sizes)
