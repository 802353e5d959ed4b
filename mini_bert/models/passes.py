"""One pass through a model, with every number it touched by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from zlib import crc32

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.network import Network
from mini_bert.core.recurrence import remembered
from mini_bert.core.trace import Trace
from mini_bert.models.names import ByAnyName

WORD_TABLE = "embeddings.token.weight"
IGNORED = -100
"""The label of a position that is not predicted."""
ROW = 1021
"""Odd: the signs of two float64 cancel in a sum of 64 bits, those of a whole row do not."""


class Pass(ByAnyName):
    """The activations of a forward pass by dotted or short name: `cache["attention_weights_0"]`.

    `loss` is the mean over `labels`, of which −100 are not counted: shaped like the logits without their last axis.
    `gradients` (of the weights) and `activation_gradients` are computed when first asked for. The arrays are
    read-only, for the backward pass needs them as they are.
    """

    def __init__(self, network: Network, trace: Trace, logits: Array, labels: Array | None) -> None:
        super().__init__(trace.acts)
        self.network, self.trace, self.logits, self.labels = network, trace, logits, labels
        self.weights_then = fingerprint(trace.params)
        for array in (logits, *trace.acts.values()):
            array.flags.writeable = False

    @cached_property
    def scored(self) -> tuple[float, Array]:
        """The loss, and its gradient with respect to the logits."""
        if self.labels is None:
            raise ValueError("loss: this pass has no labels; give them: model.trace(ids, labels=...)")
        predicted = self.labels != IGNORED
        weights = (predicted / max(predicted.sum(), 1)).astype(self.logits.dtype)
        labels = np.where(predicted, self.labels, 0)
        loss, probs = self.network.head.loss(self.logits, labels, weights)
        return float(loss), self.network.head.loss_backward(probs, labels, weights)

    @property
    def loss(self) -> float:
        return self.scored[0]

    @cached_property
    def gradients(self) -> ByAnyName:
        """dLoss/d(weight) by dotted or short name."""
        grads = Arena(self.network.all_weights(), self.logits.dtype)
        unwritten = grads.keys() - {
            WORD_TABLE
        }  # few of its rows have a gradient: the zeros of the others stay
        self.activation_gradients = self.backward(self.scored[1], grads, unwritten)
        return ByAnyName(grads)

    @cached_property
    def activation_gradients(self) -> ByAnyName:
        """dLoss/d(activation) by dotted or short name."""
        _ = self.gradients
        return self.activation_gradients

    def remembered(self, length: int) -> dict[str, Array]:
        """The memory of the next segment's pass, if this one was given one: the last states each layer read."""
        return remembered(self.trace, length)

    def backward(
        self, dlogits: Array, grads: Mapping[str, Array], unwritten: Iterable[str] = ()
    ) -> ByAnyName:
        """From a gradient of the logits, add that of every weight to `grads`; return those of the activations.

        Of those that are `unwritten`, nothing but zeros, the first to come takes the place of a sum.
        """
        if fingerprint(self.trace.params) != self.weights_then:
            raise ValueError(
                "the weights have changed since this forward pass; run it again before the backward pass"
            )
        t = self.trace.but(grads=grads, act_grads={}, unwritten=set(unwritten))
        self.network.backward(dlogits, t)
        return ByAnyName(t.act_grads)


def fingerprint(params: Mapping[str, Array]) -> int:
    """A number that changes when a weight does, or when two change places."""
    arrays = [params.flat] if isinstance(params, Arena) else params.values()
    found = 0
    for array in arrays:
        for sums in sums_of_bits(array.reshape(-1).view(np.uint8)):
            found = crc32(sums.tobytes(), found)
    return found


def sums_of_bits(content: Array) -> tuple[Array, Array, Array]:
    """The bytes as rows of numbers of eight bytes each: the sums of rows and of columns, and the bytes left over.

    A checksum of all the bytes would take five times as long, and half of the time of a short text's pass.
    """
    whole = content.size // (8 * ROW) * (8 * ROW)
    rows = content[:whole].view(np.uint64).reshape(-1, ROW)
    return rows.sum(1), rows.sum(0), content[whole:]
