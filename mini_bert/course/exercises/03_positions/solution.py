"""Position embeddings: the same word, told apart by where it stands."""

import numpy as np


def add_positions(x, P):
    """y_bt = x_bt + P_t          x (B, T, H), P (at least T, H) → (B, T, H)"""
    # gap: add to each token the row of P that belongs to its place in the text; P may have more rows than needed
    T = x.shape[1]
    return x + P[:T]
    # end of gap


def sinusoidal(T, H):
    """P_t,2i = sin(t / 10000^(2i/H)),  P_t,2i+1 = cos(t / 10000^(2i/H))          → (T, H), H even, float64"""
    P = np.zeros((T, H))
    # gap: fill the even columns with sines and the odd ones with cosines of the same angle
    angle = np.arange(T)[:, None] / 10000 ** (np.arange(0, H, 2) / H)  # (T, H/2)
    P[:, 0::2] = np.sin(angle)
    P[:, 1::2] = np.cos(angle)
    return P
    # end of gap
