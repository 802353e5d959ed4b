"""Objectives: what a model is asked to predict, and the loss and gradients that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Question:
    """A second task: the right one of some classes, told from the hidden states at `positions` (B, m).

    `labels` and `weights` are (B,) for a question about the whole text, which is answered at its first token, and
    (B, m) for one about each position. `weights` add up to 1 over the logical batch; `importance` multiplies the loss.
    """

    positions: Array
    labels: Array
    weights: Array
    importance: float = 1.0

    def rows(self, cut: slice) -> Question:
        return replace(
            self, positions=self.positions[cut], labels=self.labels[cut], weights=self.weights[cut]
        )


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
    question: Question | None = None

    @property
    def tokens(self) -> int:
        """How many there are, without padding."""
        mask = (self.inputs or {}).get("attention_mask")
        return self.ids.size if mask is None else int(np.count_nonzero(mask))

    def rows(self, start: int, stop: int) -> MaskedBatch:
        """Some of its sequences: a micro-batch, or one worker's share."""
        cut = slice(start, stop)
        inputs = {name: array[cut] for name, array in (self.inputs or {}).items()}
        question = self.question and self.question.rows(cut)
        return MaskedBatch(
            self.ids[cut], self.positions[cut], self.labels[cut], self.weights[cut], inputs, question
        )


def masked_word_loss(
    network: Network,
    params: Mapping[str, Array],
    batch: MaskedBatch,
    noise: Noise | None = None,
    *,
    keeps: bool = True,
    watch: tuple[str, ...] = (),
) -> tuple[Array, Trace]:
    """loss = −Σ w ln p(word | masked text), and the trace its gradient needs; its last entry is `word_probs`.

    Only the predicted positions are ever projected to the vocabulary.
    """
    t = Trace(params, inputs=batch.inputs, queries=batch.positions, noise=noise, keeps=keeps, watch=watch)
    logits = network.forward(batch.ids, t)
    loss, t.kept["word_probs"] = cross_entropy(logits, batch.labels, batch.weights)
    return loss, t


def masked_word_backward(network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
    """Add dLoss/d(weight) to `grads`, for every weight."""
    t.grads = grads
    network.backward(cross_entropy_backward(t["word_probs"], batch.labels, batch.weights), t)


class Losses(NamedTuple):
    """Of the hidden words, and of the second task, if there is one."""

    words: Array
    question: Array | None


def pretraining_loss(
    network: Network,
    params: Mapping[str, Array],
    batch: MaskedBatch,
    noise: Noise | None = None,
    *,
    keeps: bool = True,
    watch: tuple[str, ...] = (),
) -> tuple[Losses, Trace]:
    """loss = words + importance · question, and the trace their gradient needs."""
    question = batch.question
    if question is None:
        loss, t = masked_word_loss(network, params, batch, noise, keeps=keeps, watch=watch)
        return Losses(loss, None), t
    assert network.second_head is not None, "this network has no head for a second task"
    asked = np.concatenate([question.positions, batch.positions], axis=1)
    t = Trace(params, inputs=batch.inputs, queries=asked, noise=noise, keeps=keeps, watch=watch)
    x = network.encode(batch.ids, t)
    m = question.positions.shape[1]
    answers = network.second_head.forward(x[:, :m], (t / "second_head").asking(None))
    words = network.head.forward(x[:, m:], (t / "head").asking(None))
    question_loss, t.kept["answer_probs"] = cross_entropy(answers, question.labels, question.weights)
    word_loss, t.kept["word_probs"] = cross_entropy(words, batch.labels, batch.weights)
    return Losses(word_loss, question_loss), t


def pretraining_backward(network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
    """Add dLoss/d(weight) to `grads`, for every weight."""
    question = batch.question
    if question is None:
        return masked_word_backward(network, batch, t, grads)
    assert network.second_head is not None
    t.grads = grads
    dwords = cross_entropy_backward(t["word_probs"], batch.labels, batch.weights)
    weights = question.importance * question.weights
    danswers = cross_entropy_backward(t["answer_probs"], question.labels, weights)
    dx = np.concatenate(
        [
            network.second_head.backward(danswers, (t / "second_head").asking(None)),
            network.head.backward(dwords, (t / "head").asking(None)),
        ],
        axis=1,
    )
    network.encode_backward(dx, t)
