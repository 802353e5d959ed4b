"""Attention, backward: from what was gathered to who asked, who answered, and what was said."""

from math import sqrt

from mini_bert.core.functions.softmax import softmax, softmax_backward


def attention(q, k, v):
    """context = p v  with  p = softmax(q kᵀ / √D)          q (..., Tq, D), k and v (..., Tk, D) → (..., Tq, D), p"""
    p = softmax(q @ k.swapaxes(-1, -2) / sqrt(q.shape[-1]))  # (..., Tq, Tk)
    return p @ v, p


def attention_backward(dcontext, q, k, v, p):
    """dv = pᵀ dcontext,  dp = dcontext vᵀ,  ds = softmax_backward(dp, p),  dq = ds k / √D,  dk = dsᵀ q / √D

    dcontext (..., Tq, D), q (..., Tq, D), k and v (..., Tk, D), p (..., Tq, Tk) → dq, dk, dv, like q, k, v
    """
    # gap: back through the product with v, through softmax, which is given, and through the scores
    dv = p.swapaxes(-1, -2) @ dcontext  # (..., Tk, D)
    dp = dcontext @ v.swapaxes(-1, -2)  # (..., Tq, Tk)
    ds = softmax_backward(dp, p) / sqrt(q.shape[-1])
    dq = ds @ k  # (..., Tq, D)
    dk = ds.swapaxes(-1, -2) @ q  # (..., Tk, D)
    return dq, dk, dv
    # end of gap
