"""Replaced tokens: a small model fills the gaps, a larger one finds out where (ELECTRA, Clark et al. 2020).

    loss = words + importance · Σ w [ln(1 + eˢ) − y s],  y = 1 where the word drawn is not the one that stood there

No gradient flows through the draw: the generator learns to fill gaps, not to deceive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import drawn
from mini_bert.core.electra import Electra
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace
from mini_bert.training.objectives.batch import MaskedBatch, Question
from mini_bert.training.objectives.objective import Losses, Objective, right


@dataclass(frozen=True)
class ReplacedTokens(Objective):
    """The second score is that of the larger model: its loss, and the share of tokens it tells rightly."""

    judged_by: ClassVar[str] = "held_out_second_loss"
    told: ClassVar[str] = "{} of all tokens rightly told to be real or replaced"

    def loss(
        self,
        network: Network,
        params: Mapping[str, Array],
        batch: MaskedBatch,
        noise: Noise | None = None,
        *,
        keeps: bool = True,
        watch: tuple[str, ...] = (),
    ) -> tuple[Losses, Trace]:
        assert isinstance(network, Electra), "replaced tokens need a generator beside the model"
        question, draws = asked_of(batch)
        t = Trace(params, inputs=batch.inputs, noise=noise, keeps=keeps, watch=watch)
        words = network.generator.forward(batch.ids, (t / "generator").asking(batch.positions))
        word_loss, t.kept["word_probs"] = cross_entropy(words, batch.labels, batch.weights)
        text = batch.text()
        shown = text.copy()
        words_drawn = np.where(batch.weights > 0, drawn(t["word_probs"].real, draws), batch.labels)
        np.put_along_axis(shown, batch.positions, words_drawn, 1)
        t.kept["replaced"] = (shown != text).astype(np.int64)
        told = network.forward(shown, t)
        second, t.kept["replaced_probs"] = network.head.loss(told, t["replaced"], question.weights)
        return Losses(word_loss, second), t

    def backward(self, network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
        assert isinstance(network, Electra)
        t.grads = grads
        question, _ = asked_of(batch)
        weights = question.importance * question.weights
        network.backward(network.head.loss_backward(t["replaced_probs"], t["replaced"], weights), t)
        dwords = cross_entropy_backward(t["word_probs"], batch.labels, batch.weights)
        network.generator.backward(dwords, (t / "generator").asking(batch.positions))

    def scores(self, losses: Losses, batch: MaskedBatch, t: Trace) -> tuple[float, ...]:
        assert losses.second is not None
        question, _ = asked_of(batch)
        found = right(t["word_probs"], batch.labels, batch.weights)
        told = ((t["replaced_probs"] > 0.5) == t["replaced"]) * question.weights
        return float(losses.words), found, float(losses.second), float(told.sum())

    def answers(self, batch: MaskedBatch, t: Trace) -> tuple[list[float], list[int]]:
        """How likely each token was replaced, and whether it was."""
        asked = asked_of(batch)[0].weights > 0
        return t["replaced_probs"][asked].tolist(), t["replaced"][asked].tolist()

    def further_scores(self, answers: list[tuple[list[float], list[int]]]) -> dict[str, float]:
        """The area under the curve of a detector: how often a replaced token looks more so than a real one."""
        probs, replaced = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        return {"auc": area_under_curve(probs, replaced)}


def asked_of(batch: MaskedBatch) -> tuple[Question, Array]:
    """The question about every token, and the draws that decide its answers."""
    assert batch.question is not None, "the batch was made for another objective"
    assert batch.draws is not None
    return batch.question, batch.draws


def area_under_curve(scores: Array, labels: Array) -> float:
    """P(score of a 1 > score of a 0), ties counted half; 0.5 if there are not both."""
    ones, zeros = np.sort(scores[labels == 1]), np.sort(scores[labels == 0])
    if not len(ones) or not len(zeros):
        return 0.5
    below = np.searchsorted(zeros, ones, side="left") + np.searchsorted(zeros, ones, side="right")
    return float(below.mean() / (2 * len(zeros)))
