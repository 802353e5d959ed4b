"""The linear map, and the two tricks every other function borrows from it."""

import numpy as np

from mini_bert.core.array import Array


def linear(x: Array, W: Array, b: Array) -> Array:
    """y = x Wᵀ + b          x (..., I), W (O, I), b (O,) → y (..., O)"""
    y = project(x, W)
    y += b
    return y


def linear_backward(dy: Array, x: Array, W: Array) -> tuple[Array, Array, Array]:
    """dx = dy W,  dW = Σ dyᵀ x,  db = Σ dy          dy (..., O), x (..., I), W (O, I); Σ over all tokens"""
    dx, dW = project_backward(dy, x, W)
    return dx, dW, sum_rows(dy)


def project(x: Array, W: Array) -> Array:
    """y = x Wᵀ          x (..., I), W (O, I) → y (..., O)"""
    y: Array = rows(x) @ W.T
    return y.reshape(*x.shape[:-1], len(W))


def project_backward(dy: Array, x: Array, W: Array) -> tuple[Array, Array]:
    """dx = dy W,  dW = Σ dyᵀ x"""
    dx: Array = rows(dy) @ W
    return dx.reshape(x.shape), rows(dy).T @ rows(x)


def rows(x: Array) -> Array:
    """(..., I) → (N, I): one matrix product over all tokens beats a batch of small ones."""
    return x.reshape(-1, x.shape[-1])


def sum_rows(x: Array) -> Array:
    """Σ over all tokens, (..., I) → (I,), as a product with ones: BLAS adds faster than `sum` does."""
    x = rows(x)
    total: Array = np.ones(len(x), x.dtype) @ x
    return total


def mean_last(x: Array) -> Array:
    """The mean over the last axis, kept as an axis of length one; a product with 1/H for the same reason."""
    mean: Array = rows(x) @ np.full(x.shape[-1], 1 / x.shape[-1], x.dtype)
    return mean.reshape(*x.shape[:-1], 1)
