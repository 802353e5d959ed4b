"""Fine-tuning: a new head on the encoder, and a gradient that goes all the way down."""

import numpy as np

from mini_bert.core.functions.linear import linear, linear_backward
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward


def shares(mask, kind):
    """how much of each token goes into the text's vector          mask (B, T) of ones and zeros → (B, T), float64

    "first": 1 for token 0, 0 for the others;  "mean": 1/n for each of a text's n real tokens, 0 for padding
    """
    # gap: rows that sum to 1
    if kind == "first":
        found = np.zeros(mask.shape)
        found[:, 0] = 1
        return found
    return mask / mask.sum(1, keepdims=True)
    # end of gap


def pooled(x, mask, kind="mean"):
    """y_b = Σ_t s_bt x_bt          x (B, T, H), mask (B, T) → (B, H)"""
    s = shares(mask, kind).astype(x.dtype)
    # gap: one vector for each text: its tokens, each times its share, added up
    return np.einsum("bt,bth->bh", s, x)
    # end of gap


def pooled_backward(dy, mask, kind="mean"):
    """dx_bt = s_bt dy_b          dy (B, H), mask (B, T) → (B, T, H)"""
    s = shares(mask, kind).astype(dy.dtype)
    # gap: every token gets its share of its text's gradient
    return s[:, :, None] * dy[:, None, :]
    # end of gap


def loss_and_gradients(x, mask, labels, W, b, kind="mean"):
    """L = −(1/B) Σ_b ln softmax(pooled(x)_b Wᵀ + b)[label_b], and its gradients: L, dx (B, T, H), dW (C, H), db (C,)

    x (B, T, H): the encoder's states, mask (B, T), labels (B,), W (C, H), b (C,).
    """
    # gap: pool, linear, cross_entropy with the weight 1/B for every text; then the same steps backwards
    y = pooled(x, mask, kind)
    weights = np.full(len(labels), 1 / len(labels))
    loss, p = cross_entropy(linear(y, W, b), labels, weights)
    dlogits = cross_entropy_backward(p, labels, weights)
    dy, dW, db = linear_backward(dlogits, y, W)
    return loss, pooled_backward(dy, mask, kind), dW, db
    # end of gap
