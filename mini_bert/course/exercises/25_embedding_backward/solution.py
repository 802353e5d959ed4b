"""Embeddings, backward: each place adds its gradient to the row that it was taken from."""

import numpy as np


def embedding_backward(dy, ids, V):
    """dtable_v = Σ of dy over the places where ids = v          dy (B, T, H), ids (B, T) → (V, H)"""
    # gap: a table of zeros, to which every place adds; a word may occur many times
    dtable = np.zeros((V, dy.shape[-1]), dy.dtype)
    np.add.at(dtable, ids, dy)
    return dtable
    # end of gap


def positions_backward(dy, rows):
    """dP_t = Σ_b dy_bt, and 0 for the rows after the last token          dy (B, T, H) → (rows, H)"""
    # gap: the same idea, where every text takes row t for its token t
    dP = np.zeros((rows, dy.shape[-1]), dy.dtype)
    dP[: dy.shape[1]] = dy.sum(0)
    return dP
    # end of gap
