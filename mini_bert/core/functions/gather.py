"""Looking rows up, and adding gradients back onto the rows they came from.

Derived in docs/mathematical_background/embeddings.md.
"""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.linear import rows


def embedding(ids: Array, table: Array) -> Array:
    """y = table[ids]          ids (...), table (V, H) → y (..., H)"""
    y: Array = table[ids]
    return y


def embedding_backward(dy: Array, ids: Array) -> tuple[Array, Array]:
    """dtable[v] = Σ of dy over the places where ids = v

    Only the rows that occur have a gradient: returns those row numbers (R,) and their gradients (R, H).
    Sorting brings equal ids together, so that one `reduceat` adds them: far faster than `np.add.at`.
    """
    flat = ids.reshape(-1)
    order = np.argsort(flat, kind="stable")
    found, starts = np.unique(flat[order], return_index=True)
    return found, np.add.reduceat(rows(dy)[order], starts, axis=0)


def take_positions(x: Array, positions: Array) -> Array:
    """y[b, j] = x[b, positions[b, j]]          x (B, T, H), positions (B, k) → y (B, k, H)"""
    y: Array = x[np.arange(len(x))[:, None], positions]
    return y


def take_positions_backward(dy: Array, positions: Array, T: int) -> Array:
    """dx[b, i] = Σ of dy[b, j] over the j with positions[b, j] = i; zero where nothing was taken"""
    B, _, H = dy.shape
    found, drows = embedding_backward(dy, positions + T * np.arange(B)[:, None])
    dx = np.zeros_like(dy, order="C", shape=(B * T, H))
    dx[found] = drows
    return dx.reshape(B, T, H)
