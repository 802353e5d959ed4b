"""A whole model: embeddings, encoder, final norm, and a head.

Derived in docs/mathematical_background/model.md.
"""

from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.embeddings import Embeddings
from mini_bert.core.encoder import Stack
from mini_bert.core.heads import Head
from mini_bert.core.layer import Layer, Part
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Network(Part):
    """logits = head(norm(encoder(embeddings(ids))))

    A `second_head` answers the question of a second task, beside the masked words; see training/objectives.
    A model is a value: print it, compare it, exchange one part of it for another with `dataclasses.replace`.
    """

    embeddings: Embeddings
    encoder: Stack
    final_norm: Layer
    head: Head
    second_head: Layer | None = None

    def forward(self, ids: Array, t: Trace) -> Array:
        """ids (B, T) → logits (B, T, V), or (B, k, V) for the positions that are asked"""
        return self.head.forward(self.encode(ids, t), (t / "head").asking(None))

    def encode(self, ids: Array, t: Trace) -> Array:
        """ids (B, T) → hidden states (B, T, H), or (B, k, H) for the positions that are asked"""
        x = self.embeddings.forward(ids, t / "embeddings")
        x = self.encoder.forward(x, t / "encoder")
        return t.show("hidden", self.final_norm.forward(x, t / "final_norm"))

    def backward(self, dlogits: Array, t: Trace) -> None:
        self.encode_backward(self.head.backward(dlogits, (t / "head").asking(None)), t)

    def encode_backward(self, dx: Array, t: Trace) -> None:
        dx = self.final_norm.backward(t.show_grad("hidden", dx), t / "final_norm")
        dx = self.encoder.backward(dx, t / "encoder")
        self.embeddings.backward(dx, t / "embeddings")
