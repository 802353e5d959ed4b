"""What a model is shown, and what it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mini_bert.core.array import Array


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
    `draws` (B, k) from 0 to 1 decide what a model that draws words itself draws at those places.
    """

    ids: Array
    positions: Array
    labels: Array
    weights: Array
    inputs: Mapping[str, Array] | None = None
    question: Question | None = None
    draws: Array | None = None

    @property
    def tokens(self) -> int:
        """How many there are, without padding."""
        mask = (self.inputs or {}).get("attention_mask")
        return self.ids.size if mask is None else int(np.count_nonzero(mask))

    def rows(self, start: int, stop: int) -> MaskedBatch:
        """Some of its sequences: a micro-batch, or one worker's share."""
        cut = slice(start, stop)
        inputs = {name: array[cut] for name, array in (self.inputs or {}).items()}
        return MaskedBatch(
            self.ids[cut],
            self.positions[cut],
            self.labels[cut],
            self.weights[cut],
            inputs,
            self.question and self.question.rows(cut),
            None if self.draws is None else self.draws[cut],
        )

    def text(self) -> Array:
        """The ids (B, T) of a batch with gaps, with the words in their places again."""
        text = self.ids.copy()
        np.put_along_axis(text, self.positions, self.labels, 1)
        return text
