"""A window of each row, each row at a place of its own: how scores of distances become scores of pairs.

Derived in docs/mathematical_background/relative_positions.md.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from mini_bert.core.array import Array


def windows(wide: Array, starts: Array, width: int) -> Array:
    """y[b, a, i, j] = wide[b, a, i, starts[b, i] + j]     wide (B, A, T, N), starts (B, T) → y (B, A, T, width)"""
    y: Array = sliding_window_view(wide, width, axis=-1)[in_every_row(wide, starts)]
    return y


def windows_backward(dy: Array, starts: Array, N: int) -> Array:
    """dwide[b, a, i, starts[b, i] + j] = dy[b, a, i, j], zero elsewhere: a row has one window, so nothing is added"""
    dwide = np.zeros_like(dy, order="C", shape=(*dy.shape[:-1], N))
    sliding_window_view(dwide, dy.shape[-1], axis=-1, writeable=True)[in_every_row(dwide, starts)] = dy
    return dwide


def in_every_row(wide: Array, starts: Array) -> tuple[Array, ...]:
    """The index of the windows that begin at `starts`, the same in every head."""
    B, A, T, _ = wide.shape
    return np.arange(B)[:, None, None], np.arange(A)[:, None], np.arange(T), starts[:, None, :]
