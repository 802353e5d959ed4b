"""The heads of attention: H dimensions seen as A heads of D each.

Derived in docs/mathematical_background/attention.md.
"""

import numpy as np

from mini_bert.core.array import Array


def split_heads(x: Array, A: int) -> Array:
    """(B, T, H) → (B, A, T, D), a view"""
    B, T, H = x.shape
    return x.reshape(B, T, A, H // A).swapaxes(1, 2)  # (B, A, T, D)


def merge_heads(x: Array) -> Array:
    """(B, A, T, D) → (B, T, H), its own gradient being `split_heads`"""
    B, A, T, D = x.shape
    return x.swapaxes(1, 2).reshape(B, T, A * D)  # (B, T, H)


def multiply_heads(p: Array, v: Array) -> Array:
    """y = p v in each head          p (B, A, Tq, Tk), v (B, A, Tk, D) → y (B, A, Tq, D)

    In memory y is (B, Tq, A, D), so that merging its heads copies nothing.
    """
    B, A, Tq, _ = p.shape
    y = np.empty((B, Tq, A, v.shape[-1]), np.result_type(p, v)).swapaxes(1, 2)  # (B, A, Tq, D)
    return np.matmul(p, v, out=y)
