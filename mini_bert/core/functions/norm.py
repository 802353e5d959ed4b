"""Normalization: each token's vector is brought to a standard size, then scaled by learned gains.

Layer normalization: Ba, Kiros & Hinton 2016. RMS normalization: Zhang & Sennrich 2019.

Derived in docs/mathematical_background/layer_norm.md.
"""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.linear import mean_last, sum_rows


def layer_norm(x: Array, gamma: Array, beta: Array, eps: float = 1e-12) -> tuple[Array, Array, Array]:
    """y = γ x̂ + β  with  x̂ = (x − μ) / σ,  σ = √(var x + ε)          x (..., H) → y, x̂ (..., H), 1/σ (..., 1)

    BERT's ε is too small to hide float32 rounding: a vector of equal numbers comes out as noise, not as zeros.
    """
    x_hat = x - mean_last(x)
    inv_sigma = 1 / np.sqrt(mean_last(x_hat * x_hat) + eps)
    x_hat *= inv_sigma
    y = gamma * x_hat
    y += beta
    return y, x_hat, inv_sigma


def layer_norm_backward(
    dy: Array, x_hat: Array, inv_sigma: Array, gamma: Array
) -> tuple[Array, Array, Array]:
    """dx = (g − mean g − x̂ mean(g x̂)) / σ  with  g = γ dy;   dγ = Σ dy x̂,  dβ = Σ dy"""
    g = gamma * dy
    dx = g - mean_last(g)
    dx -= x_hat * mean_last(g * x_hat)
    dx *= inv_sigma
    return dx, sum_rows(dy * x_hat), sum_rows(dy)


def rms_norm(x: Array, gamma: Array, eps: float = 1e-12) -> tuple[Array, Array, Array]:
    """y = γ x̂  with  x̂ = x / r,  r = √(mean x² + ε)          x (..., H) → y, x̂ (..., H), 1/r (..., 1)"""
    inv_r = 1 / np.sqrt(mean_last(x * x) + eps)
    x_hat = x * inv_r
    return gamma * x_hat, x_hat, inv_r


def rms_norm_backward(dy: Array, x_hat: Array, inv_r: Array, gamma: Array) -> tuple[Array, Array]:
    """dx = (g − x̂ mean(g x̂)) / r  with  g = γ dy;   dγ = Σ dy x̂"""
    g = gamma * dy
    dx = g - x_hat * mean_last(g * x_hat)
    dx *= inv_r
    return dx, sum_rows(dy * x_hat)
