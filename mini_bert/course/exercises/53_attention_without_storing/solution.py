"""Attention that never holds its weights: block by block forward, and computed again on the way back."""

from math import sqrt

import numpy as np


def attention(q, k, v, block=64):
    """y = p v  with  p_ij = exp(s_ij − l_i),  l_i = ln Σ_j exp(s_ij),  s = q kᵀ / √D

    q (Tq, D), k and v (Tk, D) → y (Tq, D), l (Tq,); no array is larger than (Tq, block) or the inputs
    """
    scale = 1 / sqrt(q.shape[-1])
    largest = np.full(len(q), -np.inf, q.dtype)  # of the scores so far
    total = np.zeros(len(q), q.dtype)  # Σ exp(s − largest) so far
    y = np.zeros((len(q), v.shape[1]), q.dtype)  # Σ exp(s − largest) v so far
    # gap: for each block of keys and values: its scores, the new largest, and both sums, after what they held has been
    #      brought to the new largest; at the end y is divided by the total, and l is made of largest and total
    for at in range(0, len(k), block):
        s = q @ k[at : at + block].T * scale  # (Tq, block)
        new = np.maximum(largest, s.max(1))
        shrunk = np.exp(largest - new)
        e = np.exp(s - new[:, None])
        total = total * shrunk + e.sum(1)
        y = y * shrunk[:, None] + e @ v[at : at + block]
        largest = new
    return y / total[:, None], largest + np.log(total)
    # end of gap


def attention_backward(dy, q, k, v, y, l, block=64):
    """ds_ij = p_ij (dp_ij − Σ_j p_ij dp_ij)  with  dp = dy vᵀ;   dq = ds k / √D,  dk = dsᵀ q / √D,  dv = pᵀ dy

    dy and y (Tq, D), l (Tq,) as the forward pass gave it → dq, dk, dv; the same limit of memory
    """
    # gap: Σ_j p_ij dp_ij runs over all keys, but needs none of them: it is dy_i · y_i; then block by block
    scale = 1 / sqrt(q.shape[-1])
    through_y = (dy * y).sum(1)[:, None]  # Σ_j p_ij dp_ij
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for at in range(0, len(k), block):
        some = slice(at, at + block)
        p = np.exp(q @ k[some].T * scale - l[:, None])  # (Tq, block)
        dv[some] = p.T @ dy
        ds = p * (dy @ v[some].T - through_y) * scale
        dq += ds @ k[some]
        dk[some] = ds.T @ q
    return dq, dk, dv
    # end of gap
