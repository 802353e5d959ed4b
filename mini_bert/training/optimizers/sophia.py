"""A second-order step for little more than Adam's price: each weight is divided by its own curvature."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.training.blocks import Block
from mini_bert.training.optimizers.optimizer import Optimizer, checked_betas


class SophiaG(Optimizer):
    """m ← β₁ m + (1 − β₁) g,   w ← w − η λ w − η clip(m / max(γ h, ε), ±1)              (Liu et al. 2024)

    h estimates the diagonal of the Hessian, by Gauss, Newton and Bartlett. Every `hessian_every` steps, before
    the step itself (`hessian_due` says when), the trainer

    1. runs the model on a batch and draws each of its N labels from the model's own softmax there,
    2. takes the gradient ĝ of the mean cross-entropy over these N drawn labels, into gradients of their own,
    3. calls `update_hessian(ĝ, N)`:   h ← β₂ h + (1 − β₂) N ĝ ⊙ ĝ.

    The N are the positions that are predicted, not all tokens of the batch; ĝ is never clipped. Before the first
    estimate h is 0, and every weight moves by η in the direction of −m.
    """

    def __init__(
        self,
        params: Arena,
        *,
        learning_rate: float = 3e-4,
        betas: tuple[float, float] = (0.96, 0.99),
        gamma: float = 0.05,
        eps: float = 1e-12,
        hessian_every: int = 10,
        weight_decay: float = 0.1,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(params, learning_rate=learning_rate, weight_decay=weight_decay, rates=rates)
        if hessian_every < 1:
            raise ValueError(f"hessian_every={hessian_every}: choose 1 (every step) or more")
        self.betas, self.gamma, self.eps = checked_betas(betas), gamma, eps
        self.hessian_every = hessian_every
        self.m, self.h = params.zeros_like(), params.zeros_like()

    def moments(self) -> dict[str, Arena]:
        return {"m": self.m, "h": self.h}

    @property
    def hessian_due(self) -> bool:
        """Whether the step to come wants a new estimate of the curvature; the first step does."""
        return self.steps % self.hessian_every == 0

    def update_hessian(self, grads: Arena, batch_tokens: int, worker: int = 0, workers: int = 1) -> None:
        """Take in this worker's share of ĝ, the gradient of a mean over `batch_tokens` labels drawn by the model."""
        beta2 = self.betas[1]
        share = self.share(worker, workers)
        scratch = np.empty(self.scratch_size(share), self.params.flat.dtype)
        for block in share:
            h, g = self.h.flat[block.at], grads.flat[block.at]
            estimate = np.square(g, out=scratch[: block.size])
            estimate *= (1 - beta2) * batch_tokens
            h *= beta2
            h += estimate

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        w, m, h = (arena.flat[block.at] for arena in (self.params, self.m, self.h))
        beta1 = self.betas[0]
        m *= beta1
        m += np.multiply(g, (1 - beta1) * scale, out=scratch)
        np.multiply(h, self.gamma, out=scratch)
        np.maximum(scratch, self.eps, out=scratch)
        np.divide(m, scratch, out=scratch)
        np.clip(scratch, -1, 1, out=scratch)
        scratch *= self.learning_rate * block.rate
        self.decay(block, w)
        w -= scratch
