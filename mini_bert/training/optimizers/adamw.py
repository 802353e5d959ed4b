"""The optimizer that most transformers are trained with."""

from __future__ import annotations

from mini_bert.core.array import Array
from mini_bert.training.blocks import Block
from mini_bert.training.optimizers.adam import Adam


class AdamW(Adam):
    """Adam with bias correction and decoupled weight decay (Loshchilov & Hutter 2019).

    m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
    w ← w − η λ w − η m̂ / (√v̂ + ε)   with   m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)
    """

    def update_block(self, block: Block, g: Array, scale: float, scratch: Array) -> None:
        w = self.params.flat[block.at]
        self.remember(block.at, g, scale, scratch)
        factor = self.direction(block.at, out=scratch)
        scratch *= self.learning_rate * block.rate * factor
        self.decay(block, w)
        w -= scratch
