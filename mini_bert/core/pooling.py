"""One vector for a whole text: which of its tokens speaks for it, or all of them together.

Derived in docs/mathematical_background/pooling_and_heads.md.
"""

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.gather import take_positions, take_positions_backward
from mini_bert.core.layer import Layer
from mini_bert.core.layers import Tanh
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class FirstToken(Layer):
    """y = x₀, [CLS], which sees the whole text          (B, T, H) → (B, H)

    When only some positions are asked, the first of them must be it.
    """

    def forward(self, x: Array, t: Trace) -> Array:
        first: Array = t.keep("hidden", x)[:, 0]
        return first

    def backward(self, dy: Array, t: Trace) -> Array:
        dx = np.zeros_like(t["hidden"])
        dx[:, 0] = dy
        return dx


@dataclass(frozen=True)
class LastToken(Layer):
    """y = x_n, n the last real token: the only one that sees the whole text when none looks ahead  (B, T, H) → (B, H)

    When only some positions are asked, the last of them must be it.
    """

    def forward(self, x: Array, t: Trace) -> Array:
        return take_positions(t.keep("hidden", x), self.places(x, t))[:, 0]

    def backward(self, dy: Array, t: Trace) -> Array:
        x = t["hidden"]
        return take_positions_backward(dy[:, None], self.places(x, t), x.shape[1])

    def places(self, x: Array, t: Trace) -> Array:
        """n, (B, 1)"""
        B, T, _ = x.shape
        is_real = t.inputs.get("attention_mask")
        if is_real is None or is_real.shape != (B, T):
            return np.full((B, 1), T - 1)
        last: Array = T - 1 - is_real[:, ::-1].argmax(1, keepdims=True)
        return last


@dataclass(frozen=True)
class MeanOfTokens(Layer):
    """y = (1/n) Σ xᵢ over the n real tokens, special ones among them: all speak together     (B, T, H) → (B, H)

    When only some positions are asked, the mean is over those; to have it over the text, ask for all.
    """

    def forward(self, x: Array, t: Trace) -> Array:
        mean: Array = (self.shares(t.keep("hidden", x), t) @ x)[:, 0]
        return mean

    def backward(self, dy: Array, t: Trace) -> Array:
        dx: Array = self.shares(t["hidden"], t).swapaxes(1, 2) * dy[:, None]
        return dx

    def shares(self, x: Array, t: Trace) -> Array:
        """1/n at real tokens, 0 at padding, (B, 1, T)"""
        B, T, _ = x.shape
        is_real = t.inputs.get("attention_mask")
        if is_real is None or is_real.shape != (B, T):
            return np.full((B, 1, T), 1 / T, x.real.dtype)
        real: Array = is_real[:, None].astype(x.real.dtype)
        shares: Array = real / np.maximum(real.sum(-1, keepdims=True), 1)
        return shares


@dataclass(frozen=True)
class Pooler(Layer):
    """y = f(dense(token(x))), one vector for the whole text; f = tanh, and the token is [CLS]     (B, T, H) → (B, H)"""

    dense: Layer
    activation: Layer = Tanh()
    token: Layer = FirstToken()

    def forward(self, x: Array, t: Trace) -> Array:
        x = self.token.forward(x, t / "token")
        return self.activation.forward(self.dense.forward(x, t / "dense"), t / "activation")

    def backward(self, dy: Array, t: Trace) -> Array:
        dx = self.dense.backward(self.activation.backward(dy, t / "activation"), t / "dense")
        return self.token.backward(dx, t / "token")
