"""Rotary position embedding, RoPE (Su et al. 2021).

Derived in docs/mathematical_background/positions.md.
"""

import numpy as np

from mini_bert.core.array import Array


def rotary(x: Array, positions: Array, base: float = 10000.0) -> Array:
    """Turn each pair (x_j, x_{j+D/2}) by the angle  position · base^(−2j/D).

    x (..., T, D), positions broadcast to (..., T). The dot product of two turned vectors depends on
    their positions only through the difference.
    """
    half = x.shape[-1] // 2
    angles = positions[..., None] * base ** (-np.arange(half) / half)
    cos, sin = np.cos(angles).astype(x.real.dtype), np.sin(angles).astype(x.real.dtype)
    first, second = x[..., :half], x[..., half:]
    y = np.empty_like(x)
    y[..., :half] = first * cos - second * sin
    y[..., half:] = first * sin + second * cos
    return y


def rotary_backward(dy: Array, positions: Array, base: float = 10000.0) -> Array:
    """dx = dy turned back: a rotation's transpose is its inverse."""
    return rotary(dy, -positions, base)
