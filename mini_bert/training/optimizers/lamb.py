"""Adam for very large batches: each weight moves in proportion to its own size."""

from __future__ import annotations

from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.training import blocks
from mini_bert.training.blocks import Block, cut
from mini_bert.training.optimizers.adam import Adam


class LAMB(Adam):
    """u = m̂ / (√v̂ + ε) + λ w,   w ← w − η (‖w‖ / ‖u‖) u        (You et al. 2020)

    The norms are those of a whole matrix or table; the ratio is 1 where either is 0. Gains and biases, which
    start at one or at zero whatever their right size, take the ratio 1: that is AdamW without decay.
    """

    def partition(self, weights: list[Block]) -> list[Block]:
        """A weight is never split between workers: its norms are sums in one order."""
        return weights

    def scratch_size(self, share: list[Block]) -> int:
        return min(blocks.BLOCK, super().scratch_size(share))

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        """Two walks over the weight, one for ‖u‖ and one to move: u is computed twice, and never held whole."""
        start, pieces = block.at.start, list(cut(block.at.start, block.at.stop))
        ratio = 1.0
        for at in pieces:
            self.remember(at, g[at.start - start : at.stop - start], scale, scratch[: at.stop - at.start])
        if block.decays:
            w_squares = u_squares = 0.0
            for at in pieces:
                w, u = self.params.flat[at], self.wanted(block, at, scratch)
                w_squares += float(np.dot(w, w))
                u_squares += float(np.dot(u, u))
            if w_squares and u_squares:
                ratio = sqrt(w_squares) / sqrt(u_squares)
        for at in pieces:
            u = self.wanted(block, at, scratch)
            u *= self.learning_rate * block.rate * ratio
            w = self.params.flat[at]
            w -= u

    def wanted(self, block: Block, at: slice, scratch: Array) -> Array:
        """u of one piece, in scratch"""
        u = scratch[: at.stop - at.start]
        u *= self.direction(at, out=u)
        if block.decays:
            u += self.weight_decay * self.params.flat[at]
        return u
