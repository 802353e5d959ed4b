"""Layer normalization: every token's vector is brought to the same size."""

import numpy as np


def layer_norm(x, gamma, beta, eps=1e-12):
    """y = γ x̂ + β  with  x̂ = (x − μ) / √(var x + ε), over the last axis          x (..., H), γ and β (H,) → (..., H)"""
    # gap: mean and variance of each token by itself; ε stands under the root
    mu = x.mean(-1, keepdims=True)  # (..., 1)
    var = ((x - mu) ** 2).mean(-1, keepdims=True)  # (..., 1)
    x_hat = (x - mu) / np.sqrt(var + eps)
    return gamma * x_hat + beta
    # end of gap
