"""The linear layer, backward: what a gradient does on its way through a matrix."""

import numpy as np


def linear_backward(dy, x, W):
    """dx = dy W,  dW = Σ dyᵀ x,  db = Σ dy; Σ over all tokens

    dy (..., O), x (..., I), W (O, I) → dx (..., I), dW (O, I), db (O,)
    """
    # gap: three gradients, each of the shape of what it belongs to; W and b serve all tokens, and collect from all
    dx = dy @ W
    dy, x = dy.reshape(-1, dy.shape[-1]), x.reshape(-1, x.shape[-1])  # (N, O), (N, I): one row for each token
    dW = dy.T @ x
    db = dy.sum(0)
    return dx, dW, db
    # end of gap


def moved(dy, x, W, o, i, step=0.001):
    """How much the loss Σ dy · y grows, if W[o, i] is made larger by a step: about dW[o, i] · step"""
    W_moved = W.copy()
    W_moved[o, i] += step
    return np.sum(dy * (x @ W_moved.T)) - np.sum(dy * (x @ W.T))
