"""The linear layer: the part of BERT that holds nearly all of its weights."""

import numpy as np


def linear(x, W, b):
    """y = x Wᵀ + b          x (..., I), W (O, I), b (O,) → (..., O)"""
    # gap: a matrix product over the last axis of x, then the bias; x may have any number of axes before the last
    return x @ W.T + b
    # end of gap


def parameters(I, O):
    """How many numbers a linear layer from I to O has to learn: its weights and its biases."""
    # gap: count them
    return O * I + O
    # end of gap


def example():
    """One token of four numbers becomes three numbers."""
    x = np.array([1.0, 2.0, 3.0, 4.0])
    W = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.25, 0.25, 0.25, 0.25]])
    return linear(x, W, np.zeros(3))  # the first, the last, and the mean
