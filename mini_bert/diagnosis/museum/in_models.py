"""Mistakes in the model: its parts, and the values its weights begin with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.layer import Layer
from mini_bert.core.residual import PostNorm
from mini_bert.core.trace import Trace
from mini_bert.diagnosis.parts import AcrossQueries, exchange, exchange_attention, recast
from mini_bert.models.mini import MiniBERT

DEADLY_BIAS = -4.0


@dataclass(frozen=True)
class WithoutAnything(PostNorm):
    """y = f(x): neither the residual connection nor the norm is there."""

    def forward(self, x: Array, t: Trace) -> Array:
        return t.show("normed", self.body.forward(x, t))

    def backward(self, dy: Array, t: Trace) -> Array:
        return self.body.backward(t.show_grad("normed", dy), t)


@dataclass(frozen=True)
class WithoutNorm(PostNorm):
    """y = x + f(x): nothing keeps what the layers add from growing."""

    def forward(self, x: Array, t: Trace) -> Array:
        return t.show("normed", t.asked(x) + self.body.forward(x, t))

    def backward(self, dy: Array, t: Trace) -> Array:
        dx = self.body.backward(t.show_grad("normed", dy), t)
        return t.asked_backward(dy, dx.shape[1]) + dx


@dataclass(frozen=True)
class Detached(Layer):
    """y = f(x), but the gradient goes past f: its weights never hear of the loss."""

    body: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        return self.body.forward(x, t)

    def backward(self, dy: Array, t: Trace) -> Array:
        return dy


@dataclass(frozen=True)
class Unscaled(Attention):
    """p = softmax(q·k): nobody divides by √D. A bias among the terms is multiplied with them."""

    def scores(self, q: Array, k: Array, t: Trace) -> Array:
        return super().scores(q, k, t) * sqrt(q.shape[-1])

    def scores_backward(self, dscores: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        return super().scores_backward(dscores * sqrt(q.shape[-1]), q, k, t)


def leave_out_residuals_and_norms(model: MiniBERT) -> None:
    exchange(model, lambda part: recast(part, WithoutAnything) if isinstance(part, PostNorm) else part)


def leave_out_norms(model: MiniBERT) -> None:
    exchange(model, lambda part: recast(part, WithoutNorm) if isinstance(part, PostNorm) else part)


def detach_the_first_layer(model: MiniBERT) -> None:
    encoder = model.network.encoder
    first, *others = encoder.layers
    model.network = replace(model.network, encoder=replace(encoder, layers=(Detached(first), *others)))


def softmax_across_queries(model: MiniBERT) -> None:
    exchange_attention(model, AcrossQueries)


def leave_scores_unscaled(model: MiniBERT) -> None:
    exchange_attention(model, Unscaled)


def drown_the_units(model: MiniBERT) -> None:
    """Biases so low that no unit of the feed-forward network is ever positive."""
    for name, weight in model.arena.items():
        if name.endswith("ffn.up.bias"):
            weight[...] = DEADLY_BIAS
