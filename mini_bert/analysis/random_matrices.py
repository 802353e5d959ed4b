"""What chance alone makes of a matrix: the singular values of independent entries with mean 0 and deviation 1.

With m rows and n columns they lie between √m − √n and √m + √n (Marchenko & Pastur 1967), if both are not small.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.representations.dimensions import effective_rank

TRACY_WIDOM_99 = 2.0234
"""What the largest eigenvalue, centred and scaled, stays below 99 times of 100 (Tracy & Widom 1996, real entries)."""
POINTS = 4000


def largest_of_random(m: int, n: int) -> float:
    """√(μ + 2.02 s),  μ = (√(m−1) + √n)²,  s = √μ (1/√(m−1) + 1/√n)^⅓          (Johnstone 2001)

    99 of 100 random matrices have no singular value beyond it.
    """
    m, n = max(m, n), min(m, n)
    root = np.sqrt(m - 1) + np.sqrt(n)
    scale = root * (1 / np.sqrt(m - 1) + 1 / np.sqrt(n)) ** (1 / 3)
    return float(np.sqrt(root**2 + TRACY_WIDOM_99 * scale))


def density(x: Array, m: int, n: int) -> Array:
    """How densely the singular values lie at x; its integral is 1"""
    long, small = max(m, n), min(m, n)
    low, high = np.sqrt(long) - np.sqrt(small), np.sqrt(long) + np.sqrt(small)
    inside = np.maximum((high**2 - x**2) * (x**2 - low**2), 0)
    found: Array = np.sqrt(inside) / (np.pi * small * np.maximum(x, 1e-300))
    return found


@lru_cache(256)
def quantiles(m: int, n: int) -> tuple[float, ...]:
    long, small = max(m, n), min(m, n)
    low, high = np.sqrt(long) - np.sqrt(small), np.sqrt(long) + np.sqrt(small)
    # Dense at both ends, where the density falls like a root.
    grid = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, POINTS))) / 2
    middle = (grid[1:] + grid[:-1]) / 2
    mass = np.cumsum(density(middle, m, n) * np.diff(grid))
    wanted = (np.arange(small) + 0.5) / small
    found = np.interp(wanted, mass / mass[-1], grid[1:])[::-1]
    return tuple(found.tolist())


def random_quantiles(m: int, n: int) -> Array:
    """The singular values that a random matrix has on the whole, the largest first"""
    return np.array(quantiles(m, n))


@lru_cache(256)
def random_effective_rank(m: int, n: int) -> float:
    return effective_rank(random_quantiles(m, n))
