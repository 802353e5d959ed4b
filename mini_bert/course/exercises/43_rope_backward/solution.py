"""The way back through rotary positions: turn the gradient the other way round."""

from math import sqrt

from mini_bert.core.functions.rotary import rotary


def rope_backward(dy, positions, base=10000.0):
    """dx_i = R_iᵀ dy_i  for  y_i = R_i x_i          dy (..., T, D), positions (T,) → (..., T, D)"""
    # gap: which rotation is the transpose of the one by position i? `rotary(x, positions, base)` is given
    return rotary(dy, -positions, base)
    # end of gap


def rotary_scores(q, k, positions, base=10000.0):
    """s = (R q) (R k)ᵀ / √D          q and k (..., T, D) → (..., T, T)"""
    return rotary(q, positions, base) @ rotary(k, positions, base).swapaxes(-1, -2) / sqrt(q.shape[-1])


def rotary_scores_backward(ds, q, k, positions, base=10000.0):
    """dq = Rᵀ ds (R k) / √D,   dk = Rᵀ dsᵀ (R q) / √D          ds (..., T, T) → dq and dk (..., T, D)"""
    # gap: back through the product first, with q and k as they were turned, then back through the turning
    ds = ds / sqrt(q.shape[-1])
    dq_turned = ds @ rotary(k, positions, base)
    dk_turned = ds.swapaxes(-1, -2) @ rotary(q, positions, base)
    return rope_backward(dq_turned, positions, base), rope_backward(dk_turned, positions, base)
    # end of gap
