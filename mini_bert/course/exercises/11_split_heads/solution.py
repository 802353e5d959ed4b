"""Heads: one vector of H numbers seen as A vectors of D."""

import numpy as np


def split_heads(x, A):
    """y_batd = x_bt,aD+d  with  D = H / A          x (B, T, H) → (B, A, T, D)"""
    # gap: cut each token's H numbers into A pieces, then let heads and tokens change places
    B, T, H = x.shape
    return x.reshape(B, T, A, H // A).swapaxes(1, 2)
    # end of gap


def merge_heads(y):
    """x_bt,aD+d = y_batd: each token's pieces in one row again          y (B, A, T, D) → (B, T, H)"""
    # gap: the way back, in the reverse order
    B, A, T, D = y.shape
    return y.swapaxes(1, 2).reshape(B, T, A * D)
    # end of gap


def example():
    """Two tokens of six numbers: try `split_heads(example(), 2)` and `split_heads(example(), 3)`."""
    return np.array([[[10, 11, 12, 13, 14, 15], [20, 21, 22, 23, 24, 25]]])
