"""RMS norm: layer normalization without the mean; and the pre-norm residual block around it."""

import numpy as np


def rms_norm(x, gamma, eps=1e-6):
    """y = γ x̂  with  x̂ = x / r,  r = √(mean x² + ε)          x (..., H), γ (H,) → y and x̂ (..., H), 1/r (..., 1)"""
    # gap: one root of a mean square for each token; no mean is subtracted
    inv_r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    x_hat = x * inv_r
    return gamma * x_hat, x_hat, inv_r
    # end of gap


def rms_norm_backward(dy, x_hat, inv_r, gamma):
    """dx = (g − x̂ mean(g x̂)) / r  with  g = γ dy;   dγ = Σ dy x̂ over all tokens          → dx (..., H), dγ (H,)"""
    # gap: what of g points along x̂ is taken out, for a longer x comes out the same
    g = gamma * dy
    dx = (g - x_hat * (g * x_hat).mean(-1, keepdims=True)) * inv_r
    dgamma = (dy * x_hat).reshape(-1, len(gamma)).sum(0)
    return dx, dgamma
    # end of gap


def pre_norm(x, gamma, W, eps=1e-6):
    """y = x + rms_norm(x) Wᵀ          x (..., H), W (H, H) → y (..., H), x̂ and 1/r"""
    normed, x_hat, inv_r = rms_norm(x, gamma, eps)
    return x + normed @ W.T, x_hat, inv_r


def pre_norm_backward(dy, x_hat, inv_r, gamma, W):
    """dx = dy + (dy W back through the norm)          dy (..., H) → dx (..., H)"""
    # gap: two ways lead from x to y, and the first one is straight
    dx, _ = rms_norm_backward(dy @ W, x_hat, inv_r, gamma)
    return dy + dx
    # end of gap
