"""Gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import Block
from mini_bert.training.optimizers.optimizer import Optimizer


class SGD(Optimizer):
    """d = g + λ w,   velocity ← μ velocity + d,   w ← w − η velocity              (Polyak 1964)

    With `nesterov`: w ← w − η (d + μ velocity), which looks one step ahead (Sutskever et al. 2013). Here λ is the
    classical penalty λ/2 ‖w‖²: it enters the gradient and with it the velocity.
    """

    def __init__(
        self,
        params: Arena,
        *,
        learning_rate: float = 0.1,
        momentum: float = 0.9,
        nesterov: bool = False,
        weight_decay: float = 0.0,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(params, learning_rate=learning_rate, weight_decay=weight_decay, rates=rates)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum={momentum}: choose from 0 (none) up to, not including, 1")
        self.momentum, self.nesterov = momentum, nesterov
        self.velocity = params.zeros_like()

    def moments(self) -> dict[str, Arena]:
        return {"velocity": self.velocity}

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        w, velocity = self.params.flat[block.at], self.velocity.flat[block.at]
        rate = self.learning_rate * block.rate
        velocity *= self.momentum
        velocity += np.multiply(g, scale, out=scratch)
        if block.decays and self.weight_decay:
            velocity += np.multiply(w, self.weight_decay, out=scratch)
        if self.nesterov:
            self.decay(block, w)
            w -= np.multiply(g, rate * scale, out=scratch)
            rate *= self.momentum
        w -= np.multiply(velocity, rate, out=scratch)
