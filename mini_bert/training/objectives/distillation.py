"""Distillation: a student learns the words, and what a larger model thinks of all the others (Sanh et al. 2019).

loss = words · CE + soft · τ² KL(teacher ‖ student) + cosine · (1 − cos(student's state, teacher's state))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.distillation import (
    cosine_distance,
    cosine_distance_backward,
    soft_cross_entropy,
    soft_cross_entropy_backward,
)
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.network import Network
from mini_bert.core.trace import Trace
from mini_bert.training.objectives.batch import MaskedBatch
from mini_bert.training.objectives.objective import Losses, Objective, right


@dataclass(frozen=True)
class Teacher:
    """A model that is only asked. It reads the same vocabulary as the student; its table may have spare rows."""

    network: Network
    params: Mapping[str, Array]

    def answers(self, batch: MaskedBatch) -> tuple[Array, Array]:
        """Its states (B, k, H) and logits (B, k, V) at the places asked for."""
        t = Trace(self.params, inputs=batch.inputs, queries=batch.positions, keeps=False)
        x = self.network.encode(batch.ids, t)
        return x, self.network.head.forward(x, (t / "head").asking(None))

    @cached_property
    def fingerprint(self) -> str:
        """Of its weights: a student that goes on must find the teacher it had."""
        digest = blake2b(digest_size=8)
        for name, weight in self.params.items():
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(weight).tobytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class Distillation(Objective):
    """The second score is how near the student is to its teacher: the soft loss, and the share of equal guesses.

    The cosine of states is left out, with `cosine` 0, where teacher and student are not equally wide.
    """

    told: ClassVar[str] = "the student's guess is its teacher's at {} of the places"

    teacher: Teacher
    temperature: float = 2.0
    words: float = 2.0
    soft: float = 5.0
    cosine: float = 1.0

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
        t = Trace(params, inputs=batch.inputs, queries=batch.positions, noise=noise, keeps=keeps, watch=watch)
        states, taught = self.teacher.answers(batch)
        x = network.encode(batch.ids, t)
        logits = network.head.forward(x, (t / "head").asking(None))
        word_loss, t.kept["word_probs"] = cross_entropy(logits, batch.labels, batch.weights)
        second, t.kept["soft_probs"], t.kept["taught_probs"] = soft_cross_entropy(
            logits, taught[..., : logits.shape[-1]], batch.weights, self.temperature
        )
        second = self.soft * second
        if self.cosine:
            distance, *kept = cosine_distance(x, states, batch.weights)
            t.kept["x_hat"], t.kept["y_hat"], t.kept["inv_x"] = kept
            second = second + self.cosine * distance
        return Losses(word_loss, second), t

    def backward(self, network: Network, batch: MaskedBatch, t: Trace, grads: Mapping[str, Array]) -> None:
        t.grads = grads
        dlogits = cross_entropy_backward(t["word_probs"], batch.labels, self.words * batch.weights)
        dlogits += soft_cross_entropy_backward(
            t["soft_probs"], t["taught_probs"], self.soft * batch.weights, self.temperature
        )
        dx = network.head.backward(dlogits, (t / "head").asking(None))
        if self.cosine:
            weights = self.cosine * batch.weights
            dx = dx + cosine_distance_backward(t["x_hat"], t["y_hat"], t["inv_x"], weights)
        network.encode_backward(dx, t)

    def total(self, losses: Losses, batch: MaskedBatch) -> Array:
        assert losses.second is not None
        return self.words * losses.words + losses.second

    def state(self) -> dict[str, str]:
        return {"teacher": self.teacher.fingerprint}

    def scores(self, losses: Losses, batch: MaskedBatch, t: Trace) -> tuple[float, ...]:
        assert losses.second is not None
        agreed = right(t["word_probs"], t["taught_probs"].argmax(-1), batch.weights)
        found = right(t["word_probs"], batch.labels, batch.weights)
        return float(losses.words), found, float(losses.second), agreed
