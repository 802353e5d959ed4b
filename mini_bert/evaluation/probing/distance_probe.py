"""The structural distance probe (Hewitt & Manning 2019): is there a linear map under which words lie as in their tree?

d(i, j) = ‖B (h_i − h_j)‖²          B (R, H)
loss    = mean over sentences of  Σ_ij |d(i, j) − edges between i and j| / n²
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.distances import (
    absolute_error,
    absolute_error_backward,
    squared_distances,
    squared_distances_backward,
)
from mini_bert.core.functions.linear import project, rows
from mini_bert.core.layer import Weight
from mini_bert.evaluation.probing.tree_batches import TreeBatch
from mini_bert.training.optimizers import AdamW

LEARNING_RATE = 3e-3
FEWEST_STEPS = 300
"""A few sentences are read more often than asked for, until there were so many steps."""
SMALLEST_VARIANCE = 1e-4
"""Of the largest one: directions in which states vary less are not blown up any further."""


@dataclass(frozen=True)
class DistanceProbe:
    """`B` (R, H), and the mean state (H,), which changes no distance but keeps rounding errors small."""

    B: Array
    mean: Array

    def places(self, states: Array) -> Array:
        """Where each word lies: (W, H) → (W, R)"""
        return project(states - self.mean, self.B)


def fit(states: Array, batches: Sequence[TreeBatch], rank: int, epochs: int, seed: int) -> DistanceProbe:
    """Train a probe with AdamW, the learning rate falling to 0; every sentence counts the same.

    It learns in coordinates in which the states vary alike in all directions. Any map of these is a map of the states,
    and the other way round: they only make the way there shorter, by four times and more.
    """
    mean, spread_out = whitening(states)
    x = (states - mean) @ spread_out
    params = Arena({"B": Weight((rank, x.shape[1]), "matrix")}, x.dtype)
    rng = np.random.default_rng([seed, len(batches)])
    params["B"][:] = rng.normal(0, 1 / sqrt(params["B"].size), params["B"].shape)
    grads, optimizer = params.zeros_like(), AdamW(params, learning_rate=LEARNING_RATE, weight_decay=0.0)
    epochs = max(epochs, ceil(FEWEST_STEPS / len(batches)))
    steps, mean_size = epochs * len(batches), sum(map(len, batches)) / len(batches)
    for _ in range(epochs):
        for number in rng.permutation(len(batches)):
            batch = batches[number]
            distance_loss(params["B"], x[batch.places], batch.distances, batch.weights, out=grads["B"])
            optimizer.learning_rate = LEARNING_RATE * (1 - optimizer.steps / steps)
            optimizer.step(grads, scale=1 / mean_size)
    return DistanceProbe(params["B"] @ spread_out.T, mean)


def distance_loss(
    B: Array, h: Array, gold: Array, weights: Array, out: Array | None = None
) -> tuple[Array, Array]:
    """loss = Σ w |‖B(h_i − h_j)‖² − gold_ij| and its gradient dB; the states h (B, T, H) are frozen and have none.

    gold and weights (B, T, T)
    """
    z = project(h, B)
    loss, sign = absolute_error(squared_distances(z), gold, weights)
    dz = squared_distances_backward(absolute_error_backward(sign, weights), z)
    return loss, np.matmul(rows(dz).T, rows(h), out=out)


def whitening(states: Array) -> tuple[Array, Array]:
    """The mean μ (H,) and the matrix W (H, H) for which (h − μ) W has variance 1 in every direction"""
    mean = states.mean(0, dtype=np.float64).astype(states.dtype)
    centred = states - mean
    variances, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64) / len(states))
    floor = max(SMALLEST_VARIANCE * variances[-1], np.finfo(states.dtype).tiny)
    return mean, (directions / np.sqrt(np.maximum(variances, floor))).astype(states.dtype)
