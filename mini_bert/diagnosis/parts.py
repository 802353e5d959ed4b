"""Other parts in the place of a model's own: the same weights, computed otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.encoder import Checkpoint, EncoderLayer
from mini_bert.core.functions.heads import merge_heads, multiply_heads, split_heads
from mini_bert.core.functions.softmax import softmax, softmax_backward
from mini_bert.core.layer import Layer
from mini_bert.core.trace import Trace
from mini_bert.models.mini import MiniBERT


@dataclass(frozen=True)
class AcrossQueries(Attention):
    """p = softmax over the queries: what the keys give to one query no longer adds up to 1."""

    def attend(self, x: Array, source: Array, t: Trace) -> Array:
        q = t.keep("q", split_heads(self.query.forward(x, t / "query"), self.A))
        k = t.keep("k", split_heads(self.key.forward(source, t / "key"), self.A))
        v = t.keep("v", split_heads(self.value.forward(source, t / "value"), self.A))
        p = turned(softmax(turned(t.show("scores", self.scores(q, k, t))).copy()))
        t.remember("softmax", p)
        mixed = t.keep("mixed", t.show("probs", p))
        context = t.show("context", merge_heads(multiply_heads(mixed, v)))
        return t.show("out", self.output.forward(context, t / "output"))

    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]:
        q, k, v, p = t["q"], t["k"], t["v"], t["softmax"]
        dheads = split_heads(self.output.backward(dy, t / "output"), self.A)
        dv = multiply_heads(turned(p), dheads)
        dp = dheads @ turned(v)
        dq, dk = self.scores_backward(turned(softmax_backward(turned(dp), turned(p))), q, k, t)
        dx = self.query.backward(merge_heads(dq), t / "query")
        dsource = self.key.backward(merge_heads(dk), t / "key")
        return dx, dsource + self.value.backward(merge_heads(dv), t / "value")


def turned(x: Array) -> Array:
    return x.swapaxes(-1, -2)


def exchange_attention(model: MiniBERT, kind: type[Attention]) -> None:
    exchange(model, lambda part: recast(part, kind) if isinstance(part, Attention) else part)


def recast(part: Any, kind: type[Any]) -> Any:
    """The same fields in another class."""
    return kind(**{field.name: getattr(part, field.name) for field in fields(part)})


def exchange(model: MiniBERT, change: Callable[[Any], Any]) -> None:
    """Change the two halves of every encoder layer, and what is inside them."""
    encoder = model.network.encoder
    layers = tuple(exchanged(layer, change) for layer in encoder.layers)
    model.network = replace(model.network, encoder=replace(encoder, layers=layers))


def exchanged(layer: Layer, change: Callable[[Any], Any]) -> Layer:
    if isinstance(layer, Checkpoint):
        return replace(layer, body=exchanged(layer.body, change))
    assert isinstance(layer, EncoderLayer), f"a layer of another kind: {layer}"
    halves: dict[str, Any] = {"attn": layer.attn, "ffn": layer.ffn}
    changed = {name: change(replace(half, body=change(half.body))) for name, half in halves.items()}
    return replace(layer, **changed)
