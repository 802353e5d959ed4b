"""What each part of a model has written into the vector that the words are read from.

    x = embeddings + Σ (attention_l + feed-forward_l),   y = γ (x − μ)/σ + β,   logit of w = y · W_w + b_w

Once σ is known, a norm is a linear map of x, so that y is the sum of what the parts make of it, each with the same σ:
exactly, up to rounding. In a post-norm model every part passes the norms that come after it, each with its own σ held
fixed. The head's transform, where there is one, is taken likewise: f(u) = g u, with g = f(u)/u held fixed. This is a
division of what was computed, not a forecast of what would be without a part: without it σ and g would be others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mini_bert.analysis.reading import Reading
from mini_bert.core.array import Array
from mini_bert.core.encoder import EncoderLayer
from mini_bert.core.enhanced_mask_decoder import EnhancedMaskDecoder
from mini_bert.core.heads import MaskedWordHead, Transform
from mini_bert.core.layer import Identity, Layer
from mini_bert.core.residual import PostNorm, PreNorm
from mini_bert.core.sharing import Tied
from mini_bert.core.trace import Trace
from mini_bert.models.mini import EVERYTHING, MiniBERT
from mini_bert.models.passes import IGNORED, Pass
from mini_bert.training.objectives import MaskedBatch

CONSTANT = "biases and shifts"


@dataclass(frozen=True)
class DirectPaths:
    """At n places where a word was asked for: `parts` (P, n, E), whose sum the decoder reads, and the words themselves.

    `names` are those of the parts, and `kinds` say whether each is of the embeddings, attention, feed-forward or
    constant. `decoder` (V, E) and `offset` (V,) make logits. `residue` is how far their sum is from the true logits.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    parts: Array
    words: Array
    decoder: Array
    offset: Array
    residue: float

    @cached_property
    def logits(self) -> Array:
        """(n, V)"""
        found: Array = self.parts.sum(0) @ self.decoder.T + self.offset
        return found

    @cached_property
    def of_words(self) -> Array:
        """What each part gives to the word asked for, beyond what it gives to the mean word: (P + 1, n)

        The last is the decoder's own bias. The sum is the word's logit minus the mean logit.
        """
        ahead = self.decoder[self.words] - self.decoder.mean(0)
        own = self.offset[self.words] - self.offset.mean()
        return np.concatenate([np.einsum("pne,ne->pn", self.parts, ahead), own[None]])


def direct_paths(model: MiniBERT, given: Reading | Pass | MaskedBatch) -> DirectPaths:
    """At every place that is asked for; ValueError for a model that tells no words."""
    if not isinstance(model.network.head, MaskedWordHead):
        raise ValueError(
            f"head={model.config.head}: only the logits of words are divided among the parts; give a model with "
            "head=words"
        )
    passed = watched_pass(model, given)
    assert passed.labels is not None
    at = np.nonzero(passed.labels != IGNORED)
    stream = Stream(passed, at)
    stream.follow(model)
    decoder, offset = decoder_of(model)
    names = tuple(stream.parts)
    parts = np.stack(list(stream.parts.values()))
    true = passed.logits[at].astype(np.float64)
    residue = float(np.abs(parts.sum(0) @ decoder.T + offset - true).max(initial=0.0))
    kinds = tuple(kind_of_part(name) for name in names)
    return DirectPaths(names, kinds, parts, passed.labels[at], decoder, offset, residue)


def kind_of_part(name: str) -> str:
    if name == CONSTANT:
        return "constant"
    return next((kind for kind in ("attention", "feed-forward") if name.startswith(kind)), "embeddings")


def watched_pass(model: MiniBERT, given: Reading | Pass | MaskedBatch) -> Pass:
    """A pass in which everything was watched."""
    if isinstance(given, MaskedBatch):
        inputs: dict[str, Any] = dict(given.inputs or {})
        if "order" in inputs:
            raise ValueError(
                "a batch with an order of words: two streams are not divided; give a text instead"
            )
        labels = np.full(given.ids.shape, IGNORED)
        asked = given.weights > 0
        labels[np.nonzero(asked)[0], given.positions[asked]] = given.labels[asked]
        return model.trace(given.ids, labels, **inputs)
    passed = given.passed if isinstance(given, Reading) else given
    if passed.labels is None:
        raise ValueError("nothing is asked for in this pass; give labels: model.trace(ids, labels=...)")
    if passed.trace.watch != EVERYTHING:
        raise ValueError("this pass has not watched everything; read the text again, without `watch`")
    return passed


class Stream:
    """The parts of the residual stream at some places, on their way up."""

    def __init__(self, passed: Pass, at: tuple[Array, ...]) -> None:
        self.trace, self.at = passed.trace, at
        self.parts: dict[str, Array] = {}

    def activation(self, path: str) -> Array:
        return self.trace.acts[path][self.at].astype(np.float64)

    def follow(self, model: MiniBERT) -> None:
        network, t = model.network, self.trace
        tokens = self.activation("embeddings.tokens")
        others = self.activation("embeddings.sum") - tokens
        self.parts["token embedding"] = tokens
        if others.any():
            self.parts["position and segment"] = others
        self.parts[CONSTANT] = np.zeros_like(tokens)
        self.norm(network.embeddings.norm, t / "embeddings" / "norm")
        self.linear(network.embeddings.project, t / "embeddings" / "project")
        self.layers(model)
        self.norm(network.final_norm, t / "final_norm")
        assert isinstance(network.head, MaskedWordHead)
        if isinstance(transform := network.head.transform, Transform):
            t = t / "head" / "transform"
            self.linear(transform.dense, t / "dense")
            self.gate(transform.activation)
            self.norm(transform.norm, t / "norm")

    def layers(self, model: MiniBERT) -> None:
        for number, (layer, t_layer) in enumerate(self.calls(model)):
            block = layer.find(EncoderLayer)
            for half, scope, name in ((block.attn, "attn", "attention"), (block.ffn, "ffn", "feed-forward")):
                t = t_layer / scope
                self.parts[f"{name} {number}"] = self.activation(f"{t.path}out")
                if isinstance(half, PostNorm):
                    self.norm(half.norm, t / "norm")
                else:
                    assert isinstance(half, PreNorm)

    def calls(self, model: MiniBERT) -> Iterator[tuple[Layer, Trace]]:
        """Every call of a layer; DeBERTa's decoder adds positions before the last one answers."""
        encoder, t = model.network.encoder, self.trace / "encoder"
        *readers, last = encoder.calls(t)
        yield from readers
        if not isinstance(encoder, EnhancedMaskDecoder):
            yield last
            return
        self.parts["decoder positions"] = self.activation("encoder.questions") - sum(self.parts.values())
        for t_answer in encoder.answering(t):
            yield last[0], t_answer

    def map(self, change: Callable[[Array], Array]) -> None:
        self.parts = {name: change(part) for name, part in self.parts.items()}

    def norm(self, norm: Layer, t: Trace) -> None:
        """Each part through a norm whose scale is what it was; the shift β is of nobody."""
        if isinstance(norm, Identity):
            return
        gain = t.param("weight").astype(np.float64)
        if f"{t.path}inv_sigma" in t.acts:
            scale = self.activation(f"{t.path}inv_sigma")
            self.map(lambda part: gain * (part - part.mean(-1, keepdims=True)) * scale)
            self.parts[CONSTANT] += t.param("bias").astype(np.float64)
        else:
            scale = self.activation(f"{t.path}inv_r")
            self.map(lambda part: gain * part * scale)

    def linear(self, linear: Layer, t: Trace) -> None:
        if isinstance(linear, Identity):
            return
        weight = t.param("weight").astype(np.float64)
        self.map(lambda part: part @ weight.T)
        if "bias" in linear.weights():
            self.parts[CONSTANT] += t.param("bias").astype(np.float64)

    def gate(self, activation: Layer) -> None:
        whole = sum(self.parts.values(), np.zeros(()))
        opened = activation.forward(whole, Trace({}, keeps=False))
        gate = np.divide(opened, whole, out=np.zeros_like(whole), where=whole != 0)
        self.map(lambda part: part * gate)


def decoder_of(model: MiniBERT) -> tuple[Array, Array]:
    """The matrix (V, E) and the bias (V,) that make logits; zeros for a bias that is not there."""
    assert isinstance(model.network.head, MaskedWordHead)
    decoder = model.network.head.decoder
    name = decoder.weight if isinstance(decoder, Tied) else "head.decoder.weight"
    matrix = model.arena[name].astype(np.float64)
    bias = model.arena.get("head.decoder.bias")
    return matrix, np.zeros(len(matrix)) if bias is None else bias.astype(np.float64)
