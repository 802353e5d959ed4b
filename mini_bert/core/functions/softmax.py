"""Scores to probabilities, and probabilities to a loss.

Derived in docs/mathematical_background/softmax.md and docs/mathematical_background/cross_entropy.md.
"""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.linear import sum_last


def softmax(s: Array) -> Array:
    """p = exp(s) / Σ exp(s), shifted by max s so that nothing overflows          over the last axis"""
    # `.real`: to complex-step differentiation the shift is a constant
    p: Array = s - s.real.max(-1, keepdims=True)
    np.exp(p, out=p)
    p /= sum_last(p)
    return p


def softmax_backward(dp: Array, p: Array) -> Array:
    """ds = p (dp − Σ dp p)"""
    ds = dp * p
    ds -= p * sum_last(ds)
    return ds


def log_softmax(s: Array) -> Array:
    """ln p = s − ln Σ exp(s), shifted like softmax"""
    log_p: Array = s - s.real.max(-1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(-1, keepdims=True))
    return log_p


def log_softmax_backward(dlog_p: Array, log_p: Array) -> Array:
    """ds = dln p − p Σ dln p"""
    ds = np.exp(log_p)
    ds *= -dlog_p.sum(-1, keepdims=True)
    ds += dlog_p
    return ds


def cross_entropy(logits: Array, labels: Array, weights: Array) -> tuple[Array, Array]:
    """loss = −Σ w ln p[label]  with  p = softmax(logits)          logits (..., V); labels, weights (...)

    The weights are the caller's normalization: 1/N each is a mean over N predictions, 0 leaves one out.
    Because they are given, the losses and gradients of micro-batches add up to those of the whole batch.
    Returns the loss, a scalar, and p (..., V).
    """
    p = logits - logits.real.max(-1, keepdims=True)
    at_label = np.take_along_axis(p, labels[..., None], -1)
    np.exp(p, out=p)
    total = sum_last(p)
    p /= total
    loss: Array = (weights[..., None].astype(p.dtype) * (np.log(total) - at_label)).sum()
    return loss, p


def cross_entropy_backward(p: Array, labels: Array, weights: Array) -> Array:
    """dlogits = w (p − 1[label])"""
    w = weights[..., None].astype(p.dtype)
    dlogits = w * p
    at_label = np.take_along_axis(dlogits, labels[..., None], -1)
    np.put_along_axis(dlogits, labels[..., None], at_label - w, -1)
    return dlogits
