"""Where trouble begins: the weight or the activation in which a number is first not finite, or a gradient largest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.network import Network
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Objective

EVERYTHING = ("*",)
MOST = 3


def largest_gradients(grads: Arena) -> list[str]:
    """The weights with the longest gradients."""
    norms = {name: float(np.linalg.norm(grad)) for name, grad in grads.items()}
    return sorted(norms, key=lambda name: -norms[name])[:MOST]


def not_finite(
    network: Network,
    params: Arena,
    batch: MaskedBatch,
    micro_batch: int,
    noise: Noise | None = None,
    objective: Objective | None = None,
) -> list[str]:
    """What is not finite first, in the order of a step: weights, activations on the way up, gradients on the way down.

    One number that is not finite spoils all that is computed from it, so the step is done again and watched.
    """
    if broken := [name for name, weight in params.items() if is_broken(weight)]:
        return [f"the weights {name}" for name in broken[:MOST]]
    for start in range(0, len(batch.ids), micro_batch):
        rows = batch.rows(start, start + micro_batch)
        own = noise and replace(noise, first_row=noise.first_row + start)
        if found := first_in(network, params, rows, own, objective or MaskedWords()):
            return [found]
    return []


@np.errstate(over="ignore", invalid="ignore")
def first_in(
    network: Network, params: Arena, batch: MaskedBatch, noise: Noise | None, objective: Objective
) -> str | None:
    _, t = objective.loss(network, params, batch, noise, watch=EVERYTHING)
    for name, found in t.acts.items():
        if is_broken(found):
            return f"the activations {name}"
    grads = params.zeros_like()
    objective.backward(network, batch, t, grads)
    for name, found in t.act_grads.items():
        if is_broken(found):
            return f"the gradients of {name}"
    broken = [name for name, grad in grads.items() if is_broken(grad)]
    return f"the gradients of {broken[0]}" if broken else None


def is_broken(array: Array) -> bool:
    return not np.isfinite(array).all()
