"""The linear map, and the two tricks every other function borrows from it.

Derived in docs/mathematical_background/linear.md.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from mini_bert.core.array import Array


def linear(x: Array, W: Array, b: Array) -> Array:
    """y = x Wᵀ + b          x (..., I), W (O, I), b (O,) → y (..., O)"""
    y = project(x, W)
    y += b
    return y


def linear_backward(dy: Array, x: Array, W: Array, out: Array | None = None) -> tuple[Array, Array, Array]:
    """dx = dy W,  dW = Σ dyᵀ x,  db = Σ dy          dy (..., O), x (..., I), W (O, I); Σ over all tokens

    dW is written into `out` if that is given.
    """
    dx, dW = project_backward(dy, x, W, out)
    return dx, dW, sum_rows(dy)


def project(x: Array, W: Array) -> Array:
    """y = x Wᵀ          x (..., I), W (O, I) → y (..., O)"""
    y: Array = rows(x) @ W.T
    return y.reshape(*x.shape[:-1], len(W))


def project_backward(dy: Array, x: Array, W: Array, out: Array | None = None) -> tuple[Array, Array]:
    """dx = dy W,  dW = Σ dyᵀ x, written into `out` if that is given"""
    dx: Array = rows(dy) @ W
    return dx.reshape(x.shape), np.matmul(rows(dy).T, rows(x), out=out)


def rows(x: Array) -> Array:
    """(..., I) → (N, I): one matrix product over all tokens beats a batch of small ones."""
    return x.reshape(-1, x.shape[-1])


def sum_rows(x: Array) -> Array:
    """Σ over all tokens, (..., I) → (I,), as a product with ones: BLAS adds faster than `sum` does."""
    x = rows(x)
    total: Array = filled(len(x), 1.0, x.dtype) @ x
    return total


def mean_last(x: Array) -> Array:
    """The mean over the last axis, kept as an axis of length one; a product with 1/H for the same reason."""
    return sum_last(x, 1 / x.shape[-1])


def sum_last(x: Array, scale: float = 1.0) -> Array:
    """scale · Σ over the last axis, kept as an axis of length one; a product for the same reason."""
    total: Array = rows(x) @ filled(x.shape[-1], scale, x.dtype)
    return total.reshape(*x.shape[:-1], 1)


@lru_cache(maxsize=64)
def filled(size: int, value: float, dtype: np.dtype[Any]) -> Array:
    """A vector of one number, to multiply with; made once, for the same few are needed all the time."""
    vector = np.full(size, value, dtype)
    vector.flags.writeable = False
    return vector
