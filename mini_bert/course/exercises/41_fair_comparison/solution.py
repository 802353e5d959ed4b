"""Is the difference real? Two designs, several seeds, and what chance alone can do."""

from itertools import product
from math import sqrt

import numpy as np


def mean_and_error(values):
    """mean = Σ x_i / n,   error = s / √n  with  s² = Σ (x_i − mean)² / (n − 1)          (n,) → two plain numbers"""
    # gap: the mean, and how far off it typically is; the spread divides by n − 1, as the mean came from the same data
    n = len(values)
    mean = np.mean(values)
    spread = np.sqrt(((values - mean) ** 2).sum() / (n - 1))
    return float(mean), float(spread / sqrt(n))
    # end of gap


def paired_difference(a, b):
    """mean and error of d_i = b_i − a_i          a, b (n,): losses of two designs, run i of both with the same seed"""
    # gap: what is compared are the runs of one seed with each other; `mean_and_error` does the rest
    return mean_and_error(b - a)
    # end of gap


def chance(a, b):
    """p = share of the 2ⁿ choices of signs s_i = ±1 for which |Σ s_i d_i| ≥ |Σ d_i|          (n,), (n,) → a number"""
    # gap: product((1, -1), repeat=n) gives all choices; forgive the last digit: count what is ≥ (1 − 1e-9) |Σ d_i|
    d = b - a
    signs = np.array(list(product((1, -1), repeat=len(d))))  # (2ⁿ, n)
    as_large = np.abs(signs @ d) >= (1 - 1e-9) * abs(d.sum())
    return float(as_large.mean())
    # end of gap


BASE = np.array([4.71, 4.58, 4.77, 4.62, 4.69, 4.65])
ROTARY = np.array([4.52, 4.41, 4.60, 4.42, 4.55, 4.44])
"""Losses of two made-up designs with seeds 0 to 5, to play with"""


if __name__ == "__main__":
    print("apart: ", mean_and_error(BASE), mean_and_error(ROTARY))
    print("paired:", paired_difference(BASE, ROTARY))
    print("chance:", chance(BASE, ROTARY))
