"""Relative positions: one learned number for each head and each distance, added to the scores."""

import numpy as np


def table_rows(Tq, Tk, reach):
    """row_ij = clip(i − j, −reach, reach) + reach, from 0 to 2 · reach          → (Tq, Tk), whole numbers"""
    # gap: the distance of query i and key j, cut off where it is not told apart any more, and counted from 0
    distances = np.arange(Tq)[:, None] - np.arange(Tk)
    return np.clip(distances, -reach, reach) + reach
    # end of gap


def relative_bias(table, Tq, Tk):
    """s[a, i, j] = table[a, row_ij]          table (A, 2 · reach + 1) → (A, Tq, Tk)"""
    # gap: reach follows from the table's width; then look up every pair for all heads at once
    reach = table.shape[1] // 2
    return table[:, table_rows(Tq, Tk, reach)]
    # end of gap


def relative_bias_backward(ds, reach):
    """dtable[a, r] = Σ of ds[b, a, i, j] over b, i, j with row_ij = r        ds (B, A, Tq, Tk) → (A, 2 · reach + 1)"""
    # gap: many pairs have read the same number, in every text of the batch: their gradients are added up in its place
    _, A, Tq, Tk = ds.shape
    dtable = np.zeros((A, 2 * reach + 1), ds.dtype)
    rows = table_rows(Tq, Tk, reach)
    for a in range(A):
        np.add.at(dtable[a], rows, ds[:, a].sum(0))
    return dtable
    # end of gap
