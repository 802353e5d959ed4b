"""Softmax: scores become probabilities."""

import numpy as np


def softmax(x):
    """softmax(x)_i = exp(x_i) / Σ_j exp(x_j), over the last axis          (..., n) → (..., n)"""
    # gap: subtract the largest of each row first, so that exp does not overflow
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
    # end of gap
