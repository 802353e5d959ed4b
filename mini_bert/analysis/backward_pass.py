"""One forward and backward pass with every number by name, whatever it was asked of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mini_bert.analysis.lessons import Given, as_lesson
from mini_bert.analysis.reading import Reading, read
from mini_bert.core.array import Array
from mini_bert.models.mini import EVERYTHING, MiniBERT
from mini_bert.models.passes import Pass


@dataclass(frozen=True)
class BackwardPass:
    """The loss, and all arrays by dotted name. Those of `activation_gradients` are in the order of the backward pass.

    Where only some places are asked for, the last layer of a batch computes those alone.
    """

    loss: float
    weights: Mapping[str, Array]
    gradients: Mapping[str, Array]
    activations: Mapping[str, Array]
    activation_gradients: Mapping[str, Array]


def backward_pass(model: MiniBERT, given: Given | Pass) -> BackwardPass:
    """Of a text, a reading, a pass with labels of any kind, or a batch."""
    if isinstance(given, str):
        given = read(model, given)
    if isinstance(given, Reading):
        given = given.passed
    if isinstance(given, Pass):
        if given.labels is None:
            raise ValueError(
                "this pass has no labels, and without a loss there is no gradient; give them: "
                "model.trace(ids, labels=...)"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            return BackwardPass(
                given.loss,
                given.trace.params,
                given.gradients.arrays,
                given.arrays,
                given.activation_gradients.arrays,
            )
    batch, objective = as_lesson(model, given)
    gradients = model.arena.zeros_like()
    with np.errstate(over="ignore", invalid="ignore"):
        losses, t = objective.loss(model.network, model.arena, batch, watch=EVERYTHING)
        objective.backward(model.network, batch, t, gradients)
        loss = float(objective.total(losses, batch))
    return BackwardPass(loss, model.arena, gradients, t.acts, t.act_grads)
