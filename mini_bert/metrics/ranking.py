"""Do two lists of numbers rise and fall together?

The area under the ROC curve, P(score of a 1 > score of a 0), is ELECTRA's `area_under_curve`.
"""

from __future__ import annotations

import numpy as np

from mini_bert.core.array import Array


def pearson(x: Array, y: Array) -> float:
    """Σ (x_i − x̄)(y_i − ȳ) / √(Σ (x_i − x̄)² Σ (y_i − ȳ)²);   nan where one list is all the same number"""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise ValueError(f"lists of shape {x.shape} and {y.shape}: give equally many numbers, at least two")
    if (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    x, y = x / np.sqrt(x @ x), y / np.sqrt(y @ y)
    return float(np.clip(x @ y, -1, 1))


def spearman(x: Array, y: Array) -> float:
    """pearson(ranks(x), ranks(y)): only the order counts (Spearman 1904)"""
    return pearson(ranks(x), ranks(y))


def ranks(values: Array) -> Array:
    """The place of each value (N,) in the order, from 1; equal ones share the mean of their places, nan has none.

    >>> ranks(np.array([10.0, 30.0, 10.0, 20.0])).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    _, group, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: Array = last - (sizes - 1) / 2
    return np.where(np.isnan(values), np.nan, shared[group])
