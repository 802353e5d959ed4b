"""The two ways to put a residual connection and a norm around a sublayer f.

Derived in docs/mathematical_background/residual_and_block.md.
"""

from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.layer import Attending, Identity, Layer, attending
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class PostNorm(Attending):
    """y = norm(x + f(x)), the original Transformer and BERT"""

    body: Layer
    norm: Layer
    dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        change = self.dropout.forward(self.body.forward(x, t), t / "dropout")
        total = t.show("residual", t.asked(x) + change)
        return t.show("normed", self.norm.forward(total, t / "norm"))

    def backward(self, dy: Array, t: Trace) -> Array:
        dtotal = t.show_grad("residual", self.norm.backward(t.show_grad("normed", dy), t / "norm"))
        dx = self.body.backward(self.dropout.backward(dtotal, t / "dropout"), t)
        return t.asked_backward(dtotal, dx.shape[1]) + dx

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        change = self.dropout.forward(attending(self.body).attend(x, source, t), t / "dropout")
        return t.show("normed", self.norm.forward(t.show("residual", x + change), t / "norm"))

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        dtotal = t.show_grad("residual", self.norm.backward(t.show_grad("normed", dy), t / "norm"))
        dchange = self.dropout.backward(dtotal, t / "dropout")
        dx, dsource = attending(self.body).attend_backward(dchange, t)
        return dtotal + dx, dsource


@dataclass(frozen=True)
class PreNorm(Attending):
    """y = x + f(norm(x)), GPT-2 and most models since: the residual path is never normalized"""

    body: Layer
    norm: Layer
    dropout: Layer = Identity()

    def forward(self, x: Array, t: Trace) -> Array:
        normed = t.show("normed", self.norm.forward(x, t / "norm"))
        change = self.dropout.forward(self.body.forward(normed, t), t / "dropout")
        return t.show("residual", t.asked(x) + change)

    def backward(self, dy: Array, t: Trace) -> Array:
        dy = t.show_grad("residual", dy)
        dnormed = self.body.backward(self.dropout.backward(dy, t / "dropout"), t)
        dx = self.norm.backward(t.show_grad("normed", dnormed), t / "norm")
        return t.asked_backward(dy, dx.shape[1]) + dx

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        """x and source are normalized apart, with the same gain"""
        normed = t.show("normed", self.norm.forward(x, t / "norm"))
        source = self.norm.forward(source, t.at("source_norm", "norm"))
        change = self.dropout.forward(attending(self.body).attend(normed, source, t), t / "dropout")
        return t.show("residual", x + change)

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        dchange = self.dropout.backward(t.show_grad("residual", dy), t / "dropout")
        dnormed, dsource = attending(self.body).attend_backward(dchange, t)
        dx = self.norm.backward(t.show_grad("normed", dnormed), t / "norm")
        return dy + dx, self.norm.backward(dsource, t.at("source_norm", "norm"))
