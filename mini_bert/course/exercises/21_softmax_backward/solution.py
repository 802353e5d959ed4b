"""Softmax, backward: what one share gains, the others lose."""

import numpy as np


def softmax_jacobian(p):
    """J_ij = ∂p_i/∂s_j = p_i (1[i = j] − p_j)          one row of shares, p (n,) → (n, n)"""
    # gap: a diagonal matrix, minus an outer product
    return np.diag(p) - p[:, None] * p[None, :]
    # end of gap


def softmax_backward(dp, p):
    """ds = p (dp − Σ_j dp_j p_j), the sum over the last axis          dp, p (..., n) → (..., n)"""
    # gap: the product with the Jacobian, without ever making it: one sum for each row, kept as an axis of length 1
    return p * (dp - (dp * p).sum(-1, keepdims=True))
    # end of gap
