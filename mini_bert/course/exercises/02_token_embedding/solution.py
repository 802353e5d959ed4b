"""Token embeddings: a word's number becomes its vector."""

import numpy as np


def embed(ids, table):
    """y_bt = table[ids_bt]          ids (B, T) whole numbers, table (V, H) → (B, T, H)"""
    # gap: take the row of the table that each id names
    return table[ids]
    # end of gap


def one_hot(ids, V):
    """y_btv = 1 where v = ids_bt, else 0          ids (B, T) → (B, T, V), float64"""
    # gap: a row of V zeros for each id, with a single 1; then one_hot(ids, V) @ table is the lookup again
    return (ids[..., None] == np.arange(V)).astype(np.float64)
    # end of gap
