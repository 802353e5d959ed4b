"""Adam's two moments, which AdamW and LAMB share."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.optimizers.optimizer import Optimizer, checked_betas


class Adam(Optimizer):
    """m ← β₁ m + g,   v ← β₂ v + g²                     (Kingma & Ba 2015, but for the factors 1 − β)

    Their m is (1 − β₁) times ours, their v is (1 − β₂) times ours. A constant that multiplies every entry of a
    moment costs a pass over memory; multiplied into the step size it costs nothing.
    """

    def __init__(
        self,
        params: Arena,
        *,
        learning_rate: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(params, learning_rate=learning_rate, weight_decay=weight_decay, rates=rates)
        self.betas, self.eps = checked_betas(betas), eps
        self.m, self.v = params.zeros_like(), params.zeros_like()

    def moments(self) -> dict[str, Arena]:
        return {"m": self.m, "v": self.v}

    def remember(self, at: slice, g: Array, scale: float, scratch: Array) -> None:
        """Both moments take in scale · g."""
        m, v = self.m.flat[at], self.v.flat[at]
        if scale != 1:
            g = np.multiply(g, scale, out=scratch)
        m *= self.betas[0]
        m += g
        v *= self.betas[1]
        v += np.square(g, out=scratch)

    def direction(self, at: slice, out: Array) -> float:
        """out ← m / (√v + ε/q), and returns the c for which c · out = m̂ / (√v̂ + ε).

        m̂ = m (1 − β₁) / (1 − β₁ᵗ) and √v̂ = q √v: the constants are moved out of the fraction.
        """
        beta1, beta2 = self.betas
        q = sqrt((1 - beta2) / (1 - beta2**self.steps))
        np.sqrt(self.v.flat[at], out=out)
        out += self.eps / q
        np.divide(self.m.flat[at], out, out=out)
        return (1 - beta1) / (1 - beta1**self.steps) / q
