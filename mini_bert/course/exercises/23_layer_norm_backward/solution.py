"""Layer normalization, backward: what the normalization takes away, the gradient must not ask for."""

import numpy as np


def layer_norm_backward(dy, x_hat, inv_sigma, gamma):
    """dx = (g − mean g − x̂ mean(g x̂)) / σ  with  g = γ dy;   dγ = Σ dy x̂,  dβ = Σ dy

    The means are over the H numbers of each token, the sums over all tokens.
    dy, x_hat (..., H), inv_sigma = 1/σ (..., 1), gamma (H,) → dx (..., H), dgamma (H,), dbeta (H,)
    """
    # gap: the gradients of the gain and the shift, then that of the input
    H = dy.shape[-1]
    dgamma = (dy * x_hat).reshape(-1, H).sum(0)
    dbeta = dy.reshape(-1, H).sum(0)
    g = gamma * dy
    mean_g = np.mean(g, axis=-1, keepdims=True)  # (..., 1)
    mean_gx = np.mean(g * x_hat, axis=-1, keepdims=True)  # (..., 1)
    dx = (g - mean_g - x_hat * mean_gx) * inv_sigma
    return dx, dgamma, dbeta
    # end of gap
