"""ALBERT's two ways to need fewer weights: one layer used many times, and a narrow table of words."""

import numpy as np


def deep(x, W, L):
    """x ← x + tanh(x Wᵀ), L times with the same W          x (..., H), W (H, H) → (..., H), and what each use keeps"""
    kept = []
    for _ in range(L):
        h = np.tanh(x @ W.T)
        kept.append((x, h))
        x = x + h
    return x, kept


def deep_backward(dy, kept, W):
    """From the last use to the first:  du = dx (1 − h²),  dW ← dW + Σ duᵀ x,  dx ← dx + du W          → dx, dW"""
    # gap: dx travels back through every use; each use adds its own share to the one gradient of W
    dx, dW = dy, np.zeros_like(W)
    for x, h in reversed(kept):
        du = dx * (1 - h * h)
        dW = dW + du.reshape(-1, du.shape[-1]).T @ x.reshape(-1, x.shape[-1])
        dx = dx + du @ W
    return dx, dW
    # end of gap


def embed(ids, E, P):
    """x = E[ids] Pᵀ: a narrow table, and a map that makes its rows as wide as the model          E (V, N), P (H, N)"""
    return E[ids] @ P.T


def embed_backward(dx, ids, E, P):
    """dE[v] = Σ dx P over the places where ids = v,   dP = Σ dxᵀ E[ids]          dx (B, T, H), ids (B, T) → dE, dP"""
    # gap: back through the map first, then add each place's gradient onto the row that it came from
    dE = np.zeros_like(E)
    np.add.at(dE, ids, dx @ P)
    dP = dx.reshape(-1, dx.shape[-1]).T @ E[ids].reshape(-1, E.shape[1])
    return dE, dP
    # end of gap
