"""The feed-forward network: each token thinks by itself about what it has gathered."""

import numpy as np

from mini_bert.core.functions.activations import relu
from mini_bert.core.functions.linear import linear


def feed_forward(x, W_up, b_up, W_down, b_down):
    """y = relu(x W_upᵀ + b_up) W_downᵀ + b_down          x (..., H), W_up (I, H), W_down (H, I) → (..., H)"""
    # gap: out to I numbers, the activation, and back to H numbers
    hidden = relu(linear(x, W_up, b_up))  # (..., I)
    return linear(hidden, W_down, b_down)
    # end of gap


def active_share(x, W_up, b_up):
    """Which share of the I hidden numbers is not 0, for each token          x (..., H) → (...)"""
    # gap: the hidden numbers again; count those above 0, in each token by itself, and divide by I
    return np.mean(linear(x, W_up, b_up) > 0, axis=-1)
    # end of gap
