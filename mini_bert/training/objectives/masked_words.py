"""Masked words, with or without a second task beside them (Devlin et al. 2019)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace
from mini_bert.training.objectives.batch import MaskedBatch
from mini_bert.training.objectives.objective import Losses, Objective


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
    loss, t.kept["word_probs"] = network.head.loss(logits, batch.labels, batch.weights)
    return loss, t


def masked_word_backward(network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
    """Add dLoss/d(weight) to `grads`, for every weight."""
    t.grads = grads
    network.backward(network.head.loss_backward(t["word_probs"], batch.labels, batch.weights), t)


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
    word_loss, t.kept["word_probs"] = network.head.loss(words, batch.labels, batch.weights)
    return Losses(word_loss, question_loss), t


def pretraining_backward(network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
    """Add dLoss/d(weight) to `grads`, for every weight."""
    question = batch.question
    if question is None:
        return masked_word_backward(network, batch, t, grads)
    assert network.second_head is not None
    t.grads = grads
    dwords = network.head.loss_backward(t["word_probs"], batch.labels, batch.weights)
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


class MaskedWords(Objective):
    """The words at the places asked for, and the answer to the batch's question, if it has one.

    Words to come, and words in any order, are the same to it: what a model may see of the text is decided elsewhere.
    So is whatever else a head tells: a class of the text, a tag of each token.
    """

    loss = staticmethod(pretraining_loss)
    backward = staticmethod(pretraining_backward)
