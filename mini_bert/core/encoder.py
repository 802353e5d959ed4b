"""A block of attention and feed-forward, and the stack of blocks."""

from collections.abc import Iterator
from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.layer import Attending, Identity, Layer, attending
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class EncoderLayer(Attending):
    """y = ffn(attn(x)), each with its residual connection and norm"""

    attn: Layer
    ffn: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        narrowed = self.attn.forward(x, t / "attn")
        return self.ffn.forward(narrowed, (t / "ffn").asking(None))

    def backward(self, dy: Array, t: Trace) -> Array:
        dx = self.ffn.backward(dy, (t / "ffn").asking(None))
        return self.attn.backward(dx, t / "attn")

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        found = attending(self.attn).attend(x, source, t / "attn")
        return self.ffn.forward(found, (t / "ffn").asking(None))

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        dx = self.ffn.backward(dy, (t / "ffn").asking(None))
        return attending(self.attn).attend_backward(dx, t / "attn")


@dataclass(frozen=True)
class Stack(Layer):
    """`depth` calls on `layers`: twelve layers called once are BERT, one called twelve times is ALBERT.

    Only the last call narrows x to the positions that are asked: the others must see every token.
    `relative` is a table of distances that all layers look into, if they do; the stack has it for them.
    """

    layers: tuple[Layer, ...]
    depth: int
    relative: Layer = Identity()

    def calls(self, t: Trace) -> Iterator[tuple[Layer, Trace]]:
        for i in range(self.depth):
            home = i * len(self.layers) // self.depth
            t_layer = t.at(f"layers.{i}", f"layers.{home}")
            yield self.layers[home], t_layer.asking(t.queries if i == self.depth - 1 else None)

    def forward(self, x: Array, t: Trace) -> Array:
        for layer, t_layer in self.calls(t):
            x = t_layer.show("out", layer.forward(x, t_layer))
        return x

    def backward(self, dy: Array, t: Trace) -> Array:
        for layer, t_layer in reversed(list(self.calls(t))):
            dy = layer.backward(t_layer.show_grad("out", dy), t_layer)
        return dy


@dataclass(frozen=True)
class Checkpoint(Attending):
    """Remember x alone, and compute the rest again when the gradient comes back (Chen et al. 2016)."""

    body: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        return self.body.forward(t.keep("checkpoint", x), t.forgetful())

    def backward(self, dy: Array, t: Trace) -> Array:
        again = t.forgetful()
        self.body.forward(t["checkpoint"], again)
        return self.body.backward(dy, again)

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        x, source = t.keep("checkpoint", x), t.keep("source", source)
        return attending(self.body).attend(x, source, t.forgetful())

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        again, body = t.forgetful(), attending(self.body)
        body.attend(t["checkpoint"], t["source"], again)
        return body.attend_backward(dy, again)
