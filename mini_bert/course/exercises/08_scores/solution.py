"""Attention scores: how well each query matches each key."""

from math import sqrt

import numpy as np


def scores(q, k):
    """s_ij = q_i · k_j / √D          q (..., Tq, D), k (..., Tk, D) → (..., Tq, Tk)"""
    # gap: the dot product of every query with every key, divided by the root of their length
    D = q.shape[-1]
    return q @ k.swapaxes(-1, -2) / sqrt(D)
    # end of gap


def spread(D, pairs=10_000, seed=0):
    """The standard deviation of q · k without the root, for random q and k: watch it grow with D."""
    q, k = np.random.default_rng(seed).normal(size=(2, pairs, D))
    return (q * k).sum(-1).std()
