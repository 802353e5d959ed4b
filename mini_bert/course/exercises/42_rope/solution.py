"""Rotary position embedding: queries and keys are turned, the further on in the text the more."""

import numpy as np


def angles(positions, D, base=10000.0):
    """θ_ij = position_i · base^(−2j/D)  for  j = 0 … D/2 − 1          positions (T,) → (T, D/2)"""
    # gap: every position with every speed; the first pair turns by one radian per token, the last hardly at all
    j = np.arange(D // 2)
    speeds = base ** (-2 * j / D)
    return positions[:, None] * speeds
    # end of gap


def rope(x, positions, base=10000.0):
    """Turn each pair (x_j, x_{j + D/2}) of the token at position i by θ_ij          x (..., T, D) → (..., T, D)"""
    # gap: the first half of the last axis and the second are the two coordinates of D/2 points in the plane
    D = x.shape[-1]
    theta = angles(positions, D, base)
    cos, sin = np.cos(theta).astype(x.dtype), np.sin(theta).astype(x.dtype)  # (T, D/2)
    first, second = x[..., : D // 2], x[..., D // 2 :]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], -1)
    # end of gap
