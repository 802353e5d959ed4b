"""Texts longer than a model reads at once: segment by segment, with what each layer remembers of those before."""

from __future__ import annotations

from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.recurrence import remembered
from mini_bert.core.trace import Trace
from mini_bert.models.inputs import check_remembers, check_weights, checked_memory, checked_text
from mini_bert.models.mini import MiniBERT


class Reader:
    """Where one is in B texts: what each layer remembers of them.

    `Reader(model)` remembers as many tokens as the model's own setting says, `Reader(model, memory=1600)` another
    number: distances are not learned one by one, so that it may be more than in training.
    """

    def __init__(self, model: MiniBERT, memory: int | None = None) -> None:
        check_remembers(model.network)
        self.model = model
        self.length = model.config.memory if memory is None else memory
        if memory is None and self.length < 1:
            raise ValueError(
                f"the model's own setting is memory={self.length}, so that it remembers nothing; say how many tokens "
                "it is to remember, as in Reader(model, memory=128)"
            )
        if self.length < 1:
            raise ValueError(
                f"memory={self.length}: remember at least one token, as in Reader(model, memory=128)"
            )
        self.forget()

    def forget(self) -> None:
        """Begin other texts."""
        self.memory: dict[str, Array] = {}
        self.read_so_far = 0

    def read(self, ids: Any) -> Array:
        """ids (B, T) that follow those of the call before, T of any size → logits (B, T, V), or what the head tells.

        More tokens than the model reads at once are cut into segments.
        """
        if self.model.config.head == "classes":
            raise ValueError(
                "this model tells one class for a whole text; a Reader reads for each token, so choose head=none"
            )
        tokens = checked_text(ids, self.model.config)
        check_weights(self.model.arena)
        length, memory, told = self.model.config.max_seq_length, self.memory, []
        for start in range(0, tokens.shape[1], length):
            segment = tokens[:, start : start + length]
            known = checked_memory(memory, segment, self.model.network)
            t = Trace(self.model.arena, keeps=False, memory=known)
            told.append(self.model.network.forward(segment, t))
            memory = remembered(t, self.length)
        self.memory, self.read_so_far = memory, self.read_so_far + tokens.shape[1]
        return np.concatenate(told, axis=1)
