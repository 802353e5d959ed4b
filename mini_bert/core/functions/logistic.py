"""A yes or a no, and its loss.

Derived in docs/mathematical_background/cross_entropy.md.
"""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.activations import sigmoid


def binary_cross_entropy(logits: Array, labels: Array, weights: Array) -> tuple[Array, Array]:
    """loss = −Σ w [y ln p + (1 − y) ln(1 − p)] = Σ w [ln(1 + eˢ) − y s]  with  p = σ(s)

    logits s, labels y (0 or 1), weights w, all of one shape. Returns the loss, a scalar, and p.
    """
    # ln(1 + eˢ) = max(s, 0) + ln(1 + e^−|s|), which cannot overflow
    size = np.where(logits.real < 0, -logits, logits)
    softplus = np.where(logits.real < 0, 0, logits) + np.log1p(np.exp(-size))
    loss: Array = (weights.astype(logits.dtype) * (softplus - labels * logits)).sum()
    return loss, sigmoid(logits)


def binary_cross_entropy_backward(p: Array, labels: Array, weights: Array) -> Array:
    """ds = w (p − y)"""
    ds: Array = weights.astype(p.dtype) * (p - labels.astype(p.dtype))
    return ds
