"""What every objective can do: a loss, its gradient, and the figures one reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace
from mini_bert.training.objectives.batch import MaskedBatch


class Losses(NamedTuple):
    """Of the hidden words, and of what is asked beside them, if anything is."""

    words: Array
    second: Array | None = None


class Objective(ABC):
    """A batch → a loss → gradients. What a batch shows and asks is decided before, by the exercise that made it."""

    judged_by: ClassVar[str] = "held_out_loss"
    """the score that tells the best checkpoint"""
    told: ClassVar[str] = "second task on it: {} right answers"
    """what the share in the second score means, in words"""

    @abstractmethod
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
        """The losses, and the trace their gradient needs, with `word_probs` in it."""

    @abstractmethod
    def backward(self, network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
        """Add dLoss/d(weight) to `grads`, for every weight."""

    def total(self, losses: Losses, batch: MaskedBatch) -> Array:
        """What `backward` is the gradient of: words + importance · second."""
        if losses.second is None or batch.question is None:
            return losses.words
        return losses.words + batch.question.importance * losses.second

    def scores(self, losses: Losses, batch: MaskedBatch, t: Trace) -> tuple[float, ...]:
        """The loss and the share of hidden words found; then the same of what is asked beside them, if anything is."""
        words = float(losses.words), right(t["word_probs"], batch.labels, batch.weights)
        if losses.second is None or batch.question is None:
            return words
        question = batch.question
        answers = right(t["answer_probs"], question.labels, question.weights)
        return *words, float(losses.second), answers

    def answers(self, batch: MaskedBatch, t: Trace) -> Any:
        """What scores need of a pass that are no means over batches, as plain values; None if there are none."""
        return None

    def further_scores(self, answers: list[Any]) -> dict[str, float]:
        """Those scores by name, from the answers to all batches of an exam."""
        return {}

    def state(self) -> dict[str, str]:
        """What it depends on beside the batch: a run goes on only where this is the same."""
        return {}


def right(probs: Array, labels: Array, weights: Array) -> float:
    """Σ of the weights where the most probable class is the right one."""
    return float(((probs.argmax(-1) == labels) * weights).sum())
