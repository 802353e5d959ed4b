"""Labels that the model draws itself: what Sophia's estimate of the curvature is made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.chance import streams, uniform
from mini_bert.core.trace import Trace
from mini_bert.training.objectives import MaskedBatch
from mini_bert.training.step import Relabel


def drawn_labels(seed: int, step: int) -> Relabel:
    """Puts a word drawn from the model's own softmax in the place of each hidden one.

    A draw belongs to the seed, the step and the row: not to the worker that makes it.
    """

    def relabel(batch: MaskedBatch, t: Trace, first_row: int) -> MaskedBatch:
        B, k = batch.labels.shape
        draws = uniform(streams("drawn labels", seed, step, np.arange(first_row, first_row + B)), 0, k)
        return replace(batch, labels=drawn(t["word_probs"], draws))

    return relabel


def drawn(probs: Array, draws: Array) -> Array:
    """The class in which each draw (...) falls, when the classes of probs (..., V) are laid end to end."""
    ends = np.cumsum(probs, axis=-1, dtype=np.float64)
    labels: Array = (ends > (draws * ends[..., -1])[..., None]).argmax(-1)
    return labels
