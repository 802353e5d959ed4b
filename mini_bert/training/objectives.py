"""Objectives: what a model is asked to predict, and the loss and gradients that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class MaskedBatch:
    """Masked text, and the words to find: `labels` (B, k) at `positions` (B, k) of `ids` (B, T).

    `weights` (B, k) add up to 1 over the logical batch, so that micro-batches add up to it; 0 leaves a place out.
    """

    ids: Array
    positions: Array
    labels: Array
    weights: Array
    inputs: Mapping[str, Array] | None = None

    def rows(self, start: int, stop: int) -> MaskedBatch:
        """Some of its sequences: a micro-batch, or one worker's share."""
        cut = slice(start, stop)
        inputs = {name: array[cut] for name, array in (self.inputs or {}).items()}
        return MaskedBatch(self.ids[cut], self.positions[cut], self.labels[cut], self.weights[cut], inputs)


def masked_word_loss(
    network: Network, params: Mapping[str, Array], batch: MaskedBatch, noise: Noise | None = None
) -> tuple[Array, Trace]:
    """loss = −Σ w ln p(word | masked text), and the trace its gradient needs.

    Only the predicted positions are ever projected to the vocabulary.
    """
    t = Trace(params, inputs=batch.inputs, queries=batch.positions, noise=noise)
    logits = network.forward(batch.ids, t)
    loss, probs = cross_entropy(logits, batch.labels, batch.weights)
    t.keep("word_probs", probs)
    return loss, t


def masked_word_backward(network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
    """Add dLoss/d(weight) to `grads`, for every weight."""
    t.grads = grads
    network.backward(cross_entropy_backward(t["word_probs"], batch.labels, batch.weights), t)
