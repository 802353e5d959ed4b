"""One head of attention: every token gathers from the others what it has asked for."""

from math import sqrt

import numpy as np

from mini_bert.core.functions.softmax import softmax

INVISIBLE = -1e9


def attention_weights(q, k, mask):
    """p = softmax(q kᵀ / √D), in which padded keys get 0

    q (B, Tq, D), k (B, Tk, D), mask (B, Tk) of ones for real tokens and zeros for padding → (B, Tq, Tk)
    """
    # gap: scores, then the mask, then softmax
    scores = q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1])
    visible = np.where(mask[:, None, :] == 1, scores, INVISIBLE)  # the mask is (B, 1, Tk)
    return softmax(visible)
    # end of gap


def context(p, v):
    """c_i = Σ_j p_ij v_j          p (B, Tq, Tk), v (B, Tk, D) → (B, Tq, D)"""
    # gap: for each query the mean of the values, each counted as much as its weight says
    return p @ v
    # end of gap


def attention(q, k, v, mask):
    """What each query gathers (B, Tq, D), and from whom (B, Tq, Tk)"""
    p = attention_weights(q, k, mask)
    return context(p, v), p
