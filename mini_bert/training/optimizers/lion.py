"""Half of Adam's memory: only the sign of the momentum moves a weight."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import Block
from mini_bert.training.optimizers.optimizer import Optimizer, checked_betas


class Lion(Optimizer):
    """w ← w − η λ w − η sign(β₁ m + (1 − β₁) g),   then   m ← β₂ m + (1 − β₂) g        (Chen et al. 2023)

    Every weight moves by η: choose η three to ten times smaller than for AdamW, and λ as much larger.
    """

    def __init__(
        self,
        params: Arena,
        *,
        learning_rate: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.1,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(params, learning_rate=learning_rate, weight_decay=weight_decay, rates=rates)
        self.betas = checked_betas(betas)
        self.m = params.zeros_like()

    def moments(self) -> dict[str, Arena]:
        return {"m": self.m}

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        w, m = self.params.flat[block.at], self.m.flat[block.at]
        beta1, beta2 = self.betas
        # A sign does not change when both terms are divided by (1 − β₁) · scale: g enters as it is.
        np.multiply(m, beta1 / ((1 - beta1) * scale), out=scratch)
        scratch += g
        move = np.sign(scratch)  # into an array apart: in place it takes five times as long
        move *= self.learning_rate * block.rate
        self.decay(block, w)
        w -= move
        m *= beta2
        m += np.multiply(g, (1 - beta2) * scale, out=scratch)
