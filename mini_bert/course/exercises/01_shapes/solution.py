"""Shapes and einsum: three products, written by naming their axes."""

import numpy as np


def row_dots(a, b):
    """y_i = Σ_d a_id b_id          a (n, d), b (n, d) → (n,)"""
    # gap: multiply the numbers that stand in the same place, then add along each row; np.einsum can do both
    return np.einsum("nd,nd->n", a, b)
    # end of gap


def outer(a, b):
    """y_ij = a_i b_j          a (m,), b (n,) → (m, n)"""
    # gap: every number of a times every number of b; nothing is added
    return np.einsum("i,j->ij", a, b)
    # end of gap


def batch_matmul(a, b):
    """y_Bij = Σ_k a_Bik b_Bkj          a (B, m, k), b (B, k, n) → (B, m, n)"""
    # gap: one matrix product for each member of the batch
    return np.einsum("bik,bkj->bij", a, b)
    # end of gap
