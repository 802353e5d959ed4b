"""Steps that are as long in every direction of a matrix: the momentum, made orthogonal."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from math import sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import Block, cache_sized, places
from mini_bert.training.optimizers.adamw import AdamW

QUINTIC = (3.4445, -4.7750, 2.0315)
"""a, b, c of p(σ) = aσ + bσ³ + cσ⁵, which lifts small σ steeply and holds large ones between 0.68 and 1.21."""
ROUNDS = 5
WALK = 8
"""AdamW's step takes about as long as the products with so many rows: each entry costs one product a row."""
LIKE_ADAMW = 0.2
"""The root mean square of AdamW's steps, in learning rates, that Liu et al. 2025 found in training."""


class Muon(AdamW):
    """M ← μ M + g,   g + μ M = U Σ Vᵀ,   w ← w − η λ w − η 0.2 √max(n, m) U Vᵀ      (Jordan et al. 2024)

    So for the n × m matrices outside of the heads. Tables, gains, biases and the matrices of a head, whose rows are
    words or classes, take AdamW's step, and only they use its v. The entries of √max(n, m) U Vᵀ have a root mean square
    of 1, so that one rate and one decay suit both (Liu et al. 2025).
    """

    def __init__(
        self,
        params: Arena,
        *,
        learning_rate: float = 2e-3,
        momentum: float = 0.95,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum={momentum}: choose from 0 (none) up to, not including, 1")
        self.momentum = momentum
        self.shapes = {
            at.start: params[name].shape for name, at in places(params).items() if turns(name, params)
        }
        super().__init__(
            params, learning_rate=learning_rate, betas=betas, eps=eps, weight_decay=weight_decay, rates=rates
        )

    def partition(self, weights: list[Block]) -> list[Block]:
        """A matrix that is made orthogonal stays whole; its products cost more than a walk over it."""
        blocks: list[Block] = []
        for whole, group in groupby(weights, key=lambda block: block.at.start in self.shapes):
            run = list(group)
            blocks += map(self.weighed, run) if whole else cache_sized(run)
        return blocks

    def weighed(self, block: Block) -> Block:
        return block._replace(work=max(1, min(self.shapes[block.at.start]) // WALK))

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        shape = self.shapes.get(block.at.start)
        if shape is None:
            super().update_block(block, g, scale, scratch)
            return
        w, m = self.params.flat[block.at], self.m.flat[block.at]
        np.multiply(g, scale, out=scratch)
        m *= self.momentum
        m += scratch
        scratch += self.momentum * m
        move = orthogonalized(scratch.reshape(shape)).ravel()
        move *= self.learning_rate * block.rate * LIKE_ADAMW * sqrt(max(shape))
        self.decay(block, w)
        w -= move


def turns(name: str, params: Arena) -> bool:
    """Whether a weight takes vectors to vectors within the network, and not in one of its heads."""
    return params.weights[name].kind == "matrix" and not any(
        part in ("head", "second_head") for part in name.split(".")
    )


def orthogonalized(M: Array, eps: float = 1e-7) -> Array:
    """M = U Σ Vᵀ → about U Vᵀ, without computing U or V: p is applied to Σ, five times

    Every odd power of Σ can be had by products alone, (M Mᵀ) M = U Σ³ Vᵀ; Newton and Schulz repeat such a polynomial
    until all of Σ is near 1. These coefficients stop short of 1, and need five rounds where exact ones need more.
    """
    a, b, c = QUINTIC
    X = M / max(np.linalg.norm(M), eps)
    X = X.T if M.shape[0] > M.shape[1] else X
    for _ in range(ROUNDS):
        S = X @ X.T
        P = S @ S.T  # S is symmetric: said so, half of the products suffice
        P *= c
        P += b * S
        P.flat[:: len(P) + 1] += a
        X = P @ X
    return np.ascontiguousarray(X.T) if M.shape[0] > M.shape[1] else X
