"""How large the numbers of an array are."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite, sqrt

import numpy as np

from mini_bert.core.array import Array


def sizes_of(x: Array) -> tuple[float, float, float]:
    """‖x‖, √(mean x²), and the share of exact zeros"""
    norm = norm_of(x)
    return norm, norm / sqrt(x.size), 1 - float(np.count_nonzero(x)) / x.size


def norm_of(x: Array) -> float:
    """‖x‖, also where the squares of its numbers are too small for their dtype, or too large"""
    flat = x.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        square = float(np.dot(flat, flat))
    if isfinite(square) and square > flat.size * float(np.finfo(flat.dtype).tiny) / float(
        np.finfo(flat.dtype).eps
    ):
        return sqrt(square)
    if not flat.any():
        return 0.0
    wide = flat.astype(np.longdouble)
    return float(np.sqrt(np.dot(wide, wide)))


def together(norms: Iterable[float]) -> float:
    """√ Σ ‖x‖²: the norm of several arrays as one"""
    return sqrt(sum(norm * norm for norm in norms))
