"""The feed-forward network: each token by itself, out to I dimensions and back.

Derived in docs/mathematical_background/feed_forward.md.
"""

from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.layer import Layer
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class FeedForward(Layer):
    """y = down(f(up(x)))"""

    up: Layer
    activation: Layer
    down: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        pre = t.show("pre", self.up.forward(x, t / "up"))
        hidden = t.show("hidden", self.activation.forward(pre, t / "activation"))
        return t.show("out", self.down.forward(hidden, t / "down"))

    def backward(self, dy: Array, t: Trace) -> Array:
        dhidden = t.show_grad("hidden", self.down.backward(t.show_grad("out", dy), t / "down"))
        dpre = t.show_grad("pre", self.activation.backward(dhidden, t / "activation"))
        return self.up.backward(dpre, t / "up")


@dataclass(frozen=True)
class GatedFeedForward(Layer):
    """y = down(f(gate(x)) · up(x)): GeGLU with f = GELU, SwiGLU with f = SiLU (Shazeer 2020)"""

    gate: Layer
    activation: Layer
    up: Layer
    down: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        pre = t.show("pre", self.gate.forward(x, t / "gate"))
        opening = t.keep("opening", self.activation.forward(pre, t / "activation"))
        content = t.keep("content", self.up.forward(x, t / "up"))
        hidden = t.show("hidden", opening * content)
        return t.show("out", self.down.forward(hidden, t / "down"))

    def backward(self, dy: Array, t: Trace) -> Array:
        dhidden = t.show_grad("hidden", self.down.backward(t.show_grad("out", dy), t / "down"))
        dopening = t.show_grad("opening", dhidden * t["content"])
        dcontent = t.show_grad("content", dhidden * t["opening"])
        dpre = t.show_grad("pre", self.activation.backward(dopening, t / "activation"))
        return self.gate.backward(dpre, t / "gate") + self.up.backward(dcontent, t / "up")
