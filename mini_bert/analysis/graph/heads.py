"""From the head of a model to the operations of its graph, and to the loss."""

from __future__ import annotations

import numpy as np

from mini_bert.analysis.graph.elementwise import Added
from mini_bert.analysis.graph.layers import Layers
from mini_bert.analysis.graph.linear import Pooled
from mini_bert.analysis.graph.loss import LOSS, CrossEntropy, YesOrNo
from mini_bert.core.array import Array
from mini_bert.core.heads import (
    ClassifierHead,
    Head,
    MaskedWordHead,
    ReplacedTokenHead,
    TaggerHead,
    Transform,
)
from mini_bert.core.layer import Layer
from mini_bert.core.pooling import FirstToken, LastToken, MeanOfTokens, Pooler
from mini_bert.core.trace import Trace
from mini_bert.models.passes import Pass

LOGITS = "head.logits"


def head(part: Head, x: str, passed: Pass, layers: Layers) -> None:
    """What the head makes of hidden states, and how far that is from the labels if there are any."""
    t = passed.trace / "head"
    match part:
        case MaskedWordHead():
            x = transformed(part.transform, x, t, layers)
            layers.linear(part.decoder, x, LOGITS, t / "decoder")
        case ClassifierHead():
            x = pooled(part.pooler, x, f"{t.path}pooled", t / "pooler", layers)
            layers.linear(part.output, x, LOGITS, t / "output")
        case TaggerHead():
            layers.linear(part.output, x, LOGITS, t / "output")
        case ReplacedTokenHead():
            dense, active = f"{t.path}dense.out", f"{t.path}activation.out"
            layers.unnamed(dense, part.dense, x, t / "dense", part.activation, active, t / "activation")
            layers.linear(part.dense, x, dense, t / "dense")
            layers.unnamed(
                active,
                part.activation,
                dense,
                t / "activation",
                part.output,
                LOGITS,
                t / "output",
                single=True,
            )
            layers.activation(part.activation, dense, active, t / "activation")
            layers.linear(part.output, active, LOGITS, t / "output", single=True)
    if passed.labels is not None:
        told = YesOrNo if isinstance(part, ReplacedTokenHead) else CrossEntropy
        layers.graph.add(told(LOSS, LOGITS, passed.labels))


def transformed(transform: Layer, x: str, t: Trace, layers: Layers) -> str:
    out = f"{t.path}transformed"
    if not isinstance(transform, Transform):
        return layers.same(x, out)
    t = t / "transform"
    dense, active = f"{t.path}dense.out", f"{t.path}activation.out"
    layers.unnamed(dense, transform.dense, x, t / "dense", transform.activation, active, t / "activation")
    layers.linear(transform.dense, x, dense, t / "dense")
    layers.unnamed(active, transform.activation, dense, t / "activation", transform.norm, out, t / "norm")
    layers.activation(transform.activation, dense, active, t / "activation")
    return layers.norm(transform.norm, active, out, t / "norm")


def pooled(pooler: Layer, x: str, out: str, t: Trace, layers: Layers) -> str:
    """One vector for the text: of a token, or all of them, and what a pooler makes of it."""
    if not isinstance(pooler, Pooler):
        return token(pooler, x, out, t, layers)
    chosen, dense = f"{t.path}token.out", f"{t.path}dense.out"
    layers.unnamed(chosen, pooler.token, x, t / "token", pooler.dense, dense, t / "dense")
    token(pooler.token, x, chosen, t / "token", layers)
    layers.unnamed(dense, pooler.dense, chosen, t / "dense", pooler.activation, out, t / "activation")
    layers.linear(pooler.dense, chosen, dense, t / "dense")
    return layers.activation(pooler.activation, dense, out, t / "activation")


def token(layer: Layer, x: str, out: str, t: Trace, layers: Layers) -> str:
    layers.graph.beside(Added(f"{t.path}hidden", (x,)))
    return layers.graph.add(Pooled(out, x, shares(layer, t.acts[x], t)))


def shares(layer: Layer, x: Array, t: Trace) -> Array:
    """How much of each token is in the vector of the text, (B, T)"""
    match layer:
        case FirstToken():
            return np.eye(1, x.shape[1]).repeat(len(x), 0)
        case LastToken():
            found = np.zeros(x.shape[:2])
            np.put_along_axis(found, layer.places(x, t), 1.0, 1)
            return found
        case MeanOfTokens():
            return layer.shares(x, t)[:, 0]
    raise ValueError(f"{t.path}: a {type(layer).__name__} is not known to the graph of a pass")
