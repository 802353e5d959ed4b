"""Attention from queries, keys and values that are at hand, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class AttentionComputation(Shown):
    """context = softmax(Q Kᵀ / √D) V, and what lies between: every array has the leading axes of Q.

    `products` are Q Kᵀ, `scores` those times `scale` = 1/√D: products of D numbers of size 1 have a deviation of √D,
    scores one of 1. `weights` are their softmax, `entropy` (..., Tq) that of each query in nats.
    """

    products: Array
    scale: float
    scores: Array
    weights: Array
    entropy: Array
    context: Array

    def figure(self) -> Figure:
        """The weights, of the first head if there are several."""
        from mini_bert.plots.heat import heat

        one = self.weights.reshape(-1, *self.weights.shape[-2:])[0]
        queries, keys = (tuple(map(str, range(size))) for size in one.shape)
        return heat(one, queries, keys, "attention", "query", "key")


def attention_computation(Q: Any, K: Any, V: Any) -> AttentionComputation:
    """Q (..., Tq, D), K (..., Tk, D), V (..., Tk, D'): of one head, of several, or of a batch."""
    q, k, v = (np.asarray(one) for one in (Q, K, V))
    if min(q.ndim, k.ndim, v.ndim) < 2 or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"Q {q.shape}, K {k.shape}, V {v.shape}: give Q (..., queries, D), K (..., keys, D), V (..., keys, D)"
        )
    scale = 1 / float(np.sqrt(q.shape[-1]))
    products = q @ k.swapaxes(-1, -2)
    scores = products * scale
    weights = softmax(scores)
    nats = -(weights * np.log(np.maximum(weights, np.finfo(weights.dtype).tiny))).sum(-1)
    return AttentionComputation(products, scale, scores, weights, nats, weights @ v)
