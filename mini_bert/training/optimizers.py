"""Optimizers walk the arena in blocks that stay in the cache, so that each number is fetched once a step."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from mini_bert.core.arena import Arena

BLOCK = 1 << 16


class AdamW:
    """Adam with bias correction and decoupled weight decay (Loshchilov & Hutter 2019).

    m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
    w ← w − η λ w − η m̂ / (√v̂ + ε)   with   m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)

    λ pulls on matrices and tables only; gains and biases do not decay.
    """

    def __init__(
        self,
        params: Arena,
        learning_rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        self.params, self.learning_rate, self.betas, self.eps = params, learning_rate, betas, eps
        self.weight_decay = weight_decay
        self.m, self.v = params.zeros_like(), params.zeros_like()
        self.scratch = np.empty(min(BLOCK, params.flat.size), params.flat.dtype)
        self.steps = 0

    def step(self, grads: Arena) -> None:
        """One update of every weight."""
        self.steps += 1
        beta1, beta2 = self.betas
        step_size = self.learning_rate / (1 - beta1**self.steps)
        v_correction = 1 / sqrt(1 - beta2**self.steps)
        for block, decays in blocks(self.params):
            w, g, m, v = (arena.flat[block] for arena in (self.params, grads, self.m, self.v))
            change = self.scratch[: len(w)]
            m *= beta1
            m += np.multiply(g, 1 - beta1, out=change)
            v *= beta2
            np.multiply(g, g, out=change)
            change *= 1 - beta2
            v += change
            np.sqrt(v, out=change)
            change *= v_correction
            change += self.eps
            np.divide(m, change, out=change)
            change *= step_size
            if decays:
                w *= 1 - self.learning_rate * self.weight_decay
            w -= change


def blocks(params: Arena) -> Iterator[tuple[slice, bool]]:
    """Slices of `flat`, and whether their weights decay; no slice holds both kinds."""
    for start, end, decays in ((0, params.decaying, True), (params.decaying, params.flat.size, False)):
        yield from ((slice(i, min(i + BLOCK, end)), decays) for i in range(start, end, BLOCK))


def clip_gradients(grads: Arena, max_norm: float) -> float:
    """g ← g · min(1, c/‖g‖) over all gradients together; returns ‖g‖"""
    norm = sqrt(float(grads.flat @ grads.flat))
    if norm > max_norm:
        grads.flat *= max_norm / norm
    return norm
