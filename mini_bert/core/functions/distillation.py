"""How far a student is from its teacher, in what it says and in what it thinks (Hinton et al. 2015).

Derived in docs/mathematical_background/distillation.md.
"""

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.linear import sum_last
from mini_bert.core.functions.softmax import log_softmax


def soft_cross_entropy(
    logits: Array, teacher: Array, weights: Array, temperature: float
) -> tuple[Array, Array, Array]:
    """loss = τ² Σ w Σ_v p_v (ln p_v − ln q_v)  with  p = softmax(teacher/τ),  q = softmax(logits/τ)

    logits and teacher (..., V), weights (...). A high τ shows which wrong answers the teacher finds less wrong; τ²
    keeps the gradient's size the same for every τ. Returns the loss, a scalar, and q, p (..., V).
    """
    log_q, log_p = log_softmax(logits / temperature), log_softmax(teacher / temperature)
    p = np.exp(log_p)
    per_place = sum_last(p * (log_p - log_q))[..., 0]
    loss: Array = temperature**2 * (weights.astype(per_place.dtype) * per_place).sum()
    return loss, np.exp(log_q), p


def soft_cross_entropy_backward(q: Array, p: Array, weights: Array, temperature: float) -> Array:
    """dlogits = τ w (q − p)"""
    dlogits: Array = temperature * weights[..., None].astype(q.dtype) * (q - p)
    return dlogits


def cosine_distance(x: Array, y: Array, weights: Array) -> tuple[Array, Array, Array, Array]:
    """loss = Σ w (1 − x̂·ŷ)  with  x̂ = x/|x|,  ŷ = y/|y|          x, y (..., H), weights (...)

    Returns the loss, a scalar, x̂ and ŷ (..., H), and 1/|x| (..., 1).
    """
    inv_x, inv_y = (1 / np.sqrt(sum_last(v * v)) for v in (x, y))
    x_hat, y_hat = x * inv_x, y * inv_y
    loss: Array = (weights.astype(x.dtype) * (1 - sum_last(x_hat * y_hat)[..., 0])).sum()
    return loss, x_hat, y_hat, inv_x


def cosine_distance_backward(x_hat: Array, y_hat: Array, inv_x: Array, weights: Array) -> Array:
    """dx = −w (ŷ − x̂ (x̂·ŷ)) / |x|: only what is across x changes the angle"""
    dx = x_hat * sum_last(x_hat * y_hat) - y_hat
    dx *= inv_x * weights[..., None].astype(x_hat.dtype)
    return dx
