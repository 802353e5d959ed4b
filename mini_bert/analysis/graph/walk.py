"""From a pass to its graph: the parts of the model, in the order in which the pass went through them."""

from __future__ import annotations

import numpy as np

from mini_bert.analysis.graph.attention import attention
from mini_bert.analysis.graph.elementwise import Added, Multiplied
from mini_bert.analysis.graph.graph import Graph
from mini_bert.analysis.graph.heads import head
from mini_bert.analysis.graph.layers import Layers
from mini_bert.analysis.graph.linear import Rows
from mini_bert.core.array import Array
from mini_bert.core.attention import Attention
from mini_bert.core.embeddings import Embeddings, LearnedPositions, PositionsAfterPadding, TokenTypes
from mini_bert.core.encoder import Checkpoint, EncoderLayer, Stack
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.feedforward import FeedForward, GatedFeedForward
from mini_bert.core.layer import Identity, Layer
from mini_bert.core.recurrence import Recurrent
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.trace import Trace
from mini_bert.models.passes import Pass


def graph_of(passed: Pass) -> Graph:
    """The graph of a pass that watched everything."""
    trace, network = passed.trace, passed.network
    if "embeddings.token.ids" not in trace.acts or "hidden" not in trace.acts:
        raise ValueError("this pass did not watch everything; read the text again without `watch`")
    if trace.memory or "order" in trace.inputs:
        raise ValueError(
            "a pass with a memory, or with an order, cannot be told step by step; read one without"
        )
    graph = Graph(passed)
    layers = Layers(graph)
    x = embeddings(network.embeddings, trace / "embeddings", layers)
    x = encoder(network.encoder, x, trace / "encoder", layers)
    x = layers.norm(network.final_norm, x, "hidden", trace / "final_norm")
    head(network.head, x, passed, layers)
    return graph


def embeddings(part: Embeddings, t: Trace, layers: Layers) -> str:
    graph, acts, P = layers.graph, t.acts, t.path
    tokens = acts[f"{P}tokens"]
    tables = {(t / "token").owner("weight"): acts[f"{P}token.ids"]}
    x = graph.add(Rows(f"{P}tokens", None, tables))
    added = {
        **rows_of(part.token_type, tokens, t / "token_type"),
        **rows_of(part.position, tokens, t / "position"),
    }
    x = graph.add(Rows(f"{P}sum", x, added)) if added else layers.same(x, f"{P}sum")
    if isinstance(part.project, Identity):
        return layers.norm(part.norm, x, f"{P}out", t / "norm")
    between = f"{P}project.x"
    layers.unnamed(between, part.norm, x, t / "norm", part.project, f"{P}out", t / "project")
    layers.norm(part.norm, x, between, t / "norm")
    return layers.linear(part.project, between, f"{P}out", t / "project")


def rows_of(layer: Layer, x: Array, t: Trace) -> dict[str, Array]:
    """The row (B, T) that each token has in the table of a layer, by the table's name."""
    match layer:
        case TokenTypes():
            rows = layer.segments(x, t)
        case LearnedPositions():
            rows = layer.places(x, t)
        case PositionsAfterPadding():
            rows = t.acts[f"{t.path}places"]
        case _:
            return {}
    return {t.owner("weight"): np.broadcast_to(rows, x.shape[:2])}


def encoder(stack: Stack, x: str, t: Trace, layers: Layers) -> str:
    if isinstance(stack, EnhancedMaskDecoder):
        return mask_decoder(stack, x, t, layers)
    for layer, t_layer in stack.calls(t):
        x = layers.same(encoder_layer(layer, x, x, t_layer, layers), f"{t_layer.path}out")
    return x


def mask_decoder(stack: EnhancedMaskDecoder, x: str, t: Trace, layers: Layers) -> str:
    *readers, (last, _) = stack.calls(t)
    for layer, t_layer in readers:
        x = layers.same(encoder_layer(layer, x, x, t_layer, layers), f"{t_layer.path}out")
    places = rows_of(stack.position, t.acts[x], t / "position")
    y = layers.graph.add(Rows(f"{t.path}questions", x, places))
    for t_answer in stack.answering(t):
        y = layers.same(encoder_layer(last, y, x, t_answer, layers), f"{t_answer.path}out")
    return y


def encoder_layer(layer: Layer, x: str, source: str, t: Trace, layers: Layers) -> str:
    if isinstance(layer, Checkpoint):
        layers.graph.beside(Added(f"{t.path}checkpoint", (x,)))
        layers.graph.beside(Added(f"{t.path}source", (source,)))
        return encoder_layer(layer.body, x, source, t, layers)
    if not isinstance(layer, EncoderLayer):
        raise ValueError(f"{t.path}: a {type(layer).__name__} is not known to the graph of a pass")
    found = residual(layer.attn, x, source, t / "attn", layers)
    return residual(layer.ffn, found, found, t / "ffn", layers)


def residual(layer: Layer, x: str, source: str, t: Trace, layers: Layers) -> str:
    """A sublayer with its residual connection and norm."""
    P = t.path
    if isinstance(layer, PostNorm):
        change = sublayer(layer.body, x, source, t, layers)
        total = layers.graph.add(Added(f"{P}residual", (x, change)))
        return layers.norm(layer.norm, total, f"{P}normed", t / "norm")
    if not isinstance(layer, PreNorm):
        raise ValueError(f"{P}: a {type(layer).__name__} is not known to the graph of a pass")
    if source != x:
        raise ValueError(f"{P}: pre-norm in a mask decoder cannot be told step by step; choose post-norm")
    normed = layers.norm(layer.norm, x, f"{P}normed", t / "norm")
    change = sublayer(layer.body, normed, normed, t, layers)
    return layers.graph.add(Added(f"{P}residual", (x, change)))


def sublayer(body: Layer, x: str, source: str, t: Trace, layers: Layers) -> str:
    P = t.path
    match body:
        case Recurrent():
            return sublayer(body.body, x, source, t, layers)
        case Attention():
            return attention(body, x, source, t, layers)
        case FeedForward():
            pre = layers.linear(body.up, x, f"{P}pre", t / "up")
            hidden = layers.activation(body.activation, pre, f"{P}hidden", t / "activation")
        case GatedFeedForward():
            pre = layers.linear(body.gate, x, f"{P}pre", t / "gate")
            opening = layers.activation(body.activation, pre, f"{P}opening", t / "activation")
            content = layers.linear(body.up, x, f"{P}content", t / "up")
            hidden = layers.graph.add(Multiplied(f"{P}hidden", (opening, content)))
        case _:
            raise ValueError(f"{P}: a {type(body).__name__} is not known to the graph of a pass")
    return layers.linear(body.down, hidden, f"{P}out", t / "down")
