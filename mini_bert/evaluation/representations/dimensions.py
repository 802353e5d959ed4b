"""How many dimensions do states really use, out of those they have?"""

from __future__ import annotations

from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.representations.tokens import as_tokens, centred

MOST_POINTS = 1000
"""For the intrinsic dimension, which looks at all pairs."""
KEPT = 0.9
"""Of the ratios of distances: the largest are of points that lie apart (Facco et al. 2017)."""


def compute_effective_dimensionality(representations: Any, mask: Any = None) -> float:
    """(Σ λ_i)² / Σ λ_i²,   λ the eigenvalues of the covariance          (N, H) or (B, T, H)

    The participation ratio (Gao et al. 2017): H if the variance is spread evenly over all directions, k if over k of
    them, 1 if it lies in one; 0 if there is none.
    """
    return participation_ratio(variances(as_tokens(representations, mask)))


def variances(x: Array) -> Array:
    """λ, the variance in each principal direction, the largest first          (N, H) → (min(N, H),)"""
    c = centred(x)
    gram = c.T @ c if len(c) >= c.shape[1] else c @ c.T
    return np.maximum(np.linalg.eigvalsh(gram)[::-1], 0) / len(x)


def participation_ratio(variance: Array) -> float:
    squares = float(variance @ variance)
    return float(variance.sum()) ** 2 / squares if squares > 0 else 0.0


def compute_effective_rank(matrix: Any, mask: Any = None) -> float:
    """exp(−Σ p_i ln p_i),   p_i = σ_i / Σ σ,   σ the singular values of the matrix          (N, H) or (B, T, H)

    e to the entropy of its spectrum (Roy & Vetterli 2007): between 1 and the rank, without a threshold for what counts
    as zero. The matrix is taken as it stands: a mean that all rows share counts. 0 for a matrix of zeros.
    """
    return effective_rank(np.linalg.svd(as_tokens(matrix, mask), compute_uv=False))


def effective_rank(sigma: Array) -> float:
    """The same of singular values (n,)"""
    total = float(sigma.sum())
    if not total:
        return 0.0
    p = sigma[sigma > 0] / total
    return float(np.exp(-(p * np.log(p)).sum()))


def intrinsic_dimension(x: Array, seed: int = 0) -> float:
    """d in  −ln(1 − F(μ)) = d ln μ,   μ = r₂ / r₁, the distances to the second and to the nearest neighbour (TwoNN)

    Where points fill d dimensions evenly, μ has the distribution F(μ) = 1 − μ^−d, whatever the density and however the
    d dimensions are bent into the H there are (Facco et al. 2017). Of more than
    `MOST_POINTS`, so many are drawn; of equal points one counts; nan for fewer than ten.
    """
    drawn = np.random.default_rng(seed).permutation(len(x))[:MOST_POINTS]
    points = np.unique(x[drawn], axis=0)
    n = len(points)
    if n < 10:
        return float("nan")
    lengths = np.einsum("nh,nh->n", points, points)
    squares = lengths[:, None] + lengths - 2 * points @ points.T
    np.fill_diagonal(squares, np.inf)
    nearest = np.argpartition(squares, 1, axis=1)[:, :2]
    apart = points[:, None] - points[nearest]  # again, by differences: those of nearly equal points are exact
    near, second = np.sort(np.sqrt(np.einsum("nkh,nkh->nk", apart, apart)), axis=1).T
    ratios = np.sort(np.log(second / near))[: int(KEPT * n)]
    heights = -np.log(1 - np.arange(1, len(ratios) + 1) / n)
    width = float(ratios @ ratios)
    return float(ratios @ heights / width) if width > 0 else float("nan")
