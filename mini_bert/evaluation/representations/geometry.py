"""The geometry of one layer's states, in a handful of figures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.representations.dimensions import (
    compute_effective_rank,
    intrinsic_dimension,
    participation_ratio,
    variances,
)
from mini_bert.evaluation.representations.directions import anisotropy
from mini_bert.evaluation.representations.tokens import as_tokens


class Geometry(NamedTuple):
    """`top_share` and `top_ten_share` are the shares of variance in the first and in the first ten directions."""

    anisotropy: float
    effective_dimensionality: float
    effective_rank: float
    intrinsic_dimension: float
    mean_norm: float
    norm_deviation: float
    top_share: float
    top_ten_share: float


def compute_representation_geometry(hidden_states: Any, mask: Any = None, seed: int = 0) -> Geometry:
    """Of states (N, H) or (B, T, H), without those that the mask leaves out: padding has no meaning.

    `seed` draws the points for the intrinsic dimension, if there are many.
    """
    return geometry_of(as_tokens(hidden_states, mask), seed)


def geometry_of(x: Array, seed: int = 0) -> Geometry:
    variance = variances(x)
    total = float(variance.sum()) or 1.0
    norms = np.sqrt(np.einsum("nh,nh->n", x, x))
    return Geometry(
        anisotropy=anisotropy(x),
        effective_dimensionality=participation_ratio(variance),
        effective_rank=compute_effective_rank(x),
        intrinsic_dimension=intrinsic_dimension(x, seed),
        mean_norm=float(norms.mean()),
        norm_deviation=float(norms.std()),
        top_share=float(variance[0]) / total,
        top_ten_share=float(variance[:10].sum()) / total,
    )
