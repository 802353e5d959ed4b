"""How far our numbers are from the judge's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from mini_bert.core.array import Array

Distance = Callable[[ArrayLike, ArrayLike], float]

# The smallest entries are compared as if they were this share of the largest. Not less: 1e-9 of 1e-5 of the
# largest entry is 45 units in its last place, and both sides round sums of up to 768 terms of that size.
FLOOR = 1e-5


def normwise(ours: ArrayLike, theirs: ArrayLike) -> float:
    """‖a − b‖ / ‖b‖"""
    a, b = alike(ours, theirs)
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def entrywise(ours: ArrayLike, theirs: ArrayLike) -> float:
    """max |aᵢ − bᵢ| / max(|bᵢ|, floor · max |b|)"""
    a, b = alike(ours, theirs)
    return float((abs(a - b) / np.maximum(abs(b), FLOOR * abs(b).max())).max())


def largest_gap(ours: ArrayLike, theirs: ArrayLike) -> float:
    """max |aᵢ − bᵢ|"""
    a, b = alike(ours, theirs)
    return float(abs(a - b).max())


def alike(ours: ArrayLike, theirs: ArrayLike) -> tuple[Array, Array]:
    a, b = np.atleast_1d(ours), np.atleast_1d(theirs)
    assert a.shape == b.shape
    assert a.dtype == b.dtype
    assert b.any(), "two zeros prove nothing"
    return a, b


def worst(
    distance: Distance, ours: Mapping[str, Array], theirs: Mapping[str, Array], sees_key_bias: bool = False
) -> float:
    """The largest distance between the gradients of any weight.

    A key bias adds one number to all scores of a query, and softmax does not see it: unless keys are turned, or
    asked for by place, its true gradient is 0. Both sides are then compared with 0, relative to the model's largest
    gradient.
    """
    assert ours.keys() == theirs.keys()
    unseen = () if sees_key_bias else tuple(name for name in theirs if name.endswith("key.bias"))
    distances = [distance(ours[name], theirs[name]) for name in theirs if name not in unseen]
    size = largest(abs(grad).max() for grad in theirs.values())
    noise = [abs(grads[name]).max() / size for grads in (ours, theirs) for name in unseen]
    return largest(distances + noise)


def largest(errors: Iterable[float]) -> float:
    """Like max, but it lets no NaN slip through."""
    return float(np.max(list(errors)))
