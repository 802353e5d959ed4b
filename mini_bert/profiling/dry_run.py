"""A training step that is not computed: the model's own code on ghosts, and the list of what NumPy would have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from mini_bert.core.array import Array
from mini_bert.core.electra import Electra
from mini_bert.core.functions import activations
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.network import Network
from mini_bert.profiling.ghosts import Tape
from mini_bert.profiling.operations import reduction
from mini_bert.profiling.patching import Patch, patched
from mini_bert.profiling.trial import asks_about_text
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Question
from mini_bert.training.objectives.replaced_tokens import ReplacedTokens
from mini_bert.training.step import TrainingStep


@dataclass(frozen=True)
class GhostNoise(Noise):
    """Noise that nobody draws."""

    tape: Tape | None = None

    def dropout_mask(self, place: str, shape: tuple[int, ...], rate: float, dtype: DTypeLike) -> Array:
        assert self.tape is not None
        self.tape.operations[reduction("noise", shape, shape[:1])] += 1
        return self.tape.ghost(shape, dtype)


def dry_run(network: Network, hand: Sequence[int], T: int, k: int, *, noisy: bool) -> Tape:
    """What a worker does whose hand are micro-batches of so many rows of T tokens, k asked in each.

    It is the worker's own code that runs. Weights and gradients, which outlive the step, are no part of its memory.
    """
    lasting, tape, B = Tape(), Tape(), sum(hand)
    params, grads = (weights_of(network, lasting, tape) for _ in range(2))
    batch = MaskedBatch(
        ids=tape.ghost((B, T), np.int64),
        positions=tape.ghost((B, k), np.int64),
        labels=tape.ghost((B, k), np.int64),
        weights=tape.ghost((B, k)),
        question=ghost_question(network, tape, B, T),
        draws=tape.ghost((B, k), np.float64),
    )
    stops = list(accumulate(hand))
    rows = [(stop - size, stop) for size, stop in zip(hand, stops, strict=True)]
    objective = ReplacedTokens() if isinstance(network, Electra) else MaskedWords()
    step: Any = SimpleNamespace(
        network=network, params=params, arenas=[grads], objective=objective, early=None
    )
    with patched([Patch(activations, "erf", ghost_erf)]):
        TrainingStep.accumulate(step, 0, rows, batch, GhostNoise(tape=tape) if noisy else None, None)
    return tape


def ghost_question(network: Network, tape: Tape, B: int, T: int) -> Question | None:
    """What is asked beside the words: of every token whether it was replaced, or something of the text."""
    if isinstance(network, Electra):
        places, labels = tape.ghost((B, T), np.int64), tape.ghost((B, T), np.int64)
        return Question(places, labels, tape.ghost((B, T)))
    if not asks_about_text(network):
        return None
    first, labels = tape.ghost((B, 1), np.int64), tape.ghost((B,), np.int64)
    return Question(first, labels, tape.ghost((B,)))


def weights_of(network: Network, owner: Tape, tape: Tape) -> Mapping[str, Array]:
    """Ghosts of all weights, whose memory is the owner's and whose operations are the tape's."""
    made = {name: owner.ghost(weight.shape) for name, weight in network.all_weights().items()}
    for ghost in made.values():
        ghost.tape = tape
    return made


def ghost_erf(x: Array) -> Array:
    """erf works in blocks of its own, on plain arrays."""
    tape: Tape = x.tape  # type: ignore[attr-defined]
    tape.operations[reduction("erf", x.shape, x.shape)] += 1
    return tape.ghost(x.shape, x.dtype)
