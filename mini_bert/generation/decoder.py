"""Reading token by token: each is read once, and what it left behind is remembered."""

from __future__ import annotations

import sys
from typing import Protocol

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.past import Past
from mini_bert.core.recurrence import remembered
from mini_bert.core.trace import Trace
from mini_bert.models.inputs import check_weights
from mini_bert.models.mini import MiniBERT
from mini_bert.pretrained.shipped import name_or_path

ENDLESS = sys.maxsize


class Decoder(Protocol):
    """What generation asks of a model: to read on, and to tell what it expects next."""

    @property
    def room(self) -> int:
        """How many more tokens it can read."""

    def feed(self, ids: Array, is_real: Array) -> Array:
        """ids (B, T), read after all that was read before → logits (B, V) of the token that follows the last

        `is_real` (B, T) is False at padding, which stands before a text.
        """

    def keep_rows(self, rows: Array) -> None:
        """Go on with some of the texts, and forget the others."""


class CachedDecoder:
    """A causal model with the keys and values of every token so far, so that a step costs one token, not all."""

    def __init__(self, model: MiniBERT) -> None:
        self.model = model
        self.past = Past()
        self.is_real: Array | None = None

    @property
    def room(self) -> int:
        return self.model.config.max_seq_length - self.past.length

    def feed(self, ids: Array, is_real: Array) -> Array:
        B, T = ids.shape
        read = self.past.length
        seen = is_real if self.is_real is None else np.concatenate([self.is_real, is_real], axis=1)
        inputs = {"position_ids": np.maximum(seen.cumsum(1)[:, read:] - 1, 0)}
        if not seen.all():
            inputs["attention_mask"] = seen
        last = np.full((B, 1), T - 1)
        t = Trace(self.model.arena, inputs=inputs, queries=last, keeps=False, past=self.past, offset=read)
        logits = self.model.network.forward(ids, t)[:, 0]
        self.is_real = seen
        return logits

    def keep_rows(self, rows: Array) -> None:
        self.past.keep_rows(rows)
        if self.is_real is not None:
            self.is_real = self.is_real[rows]


class RecurrentDecoder:
    """A causal model with a memory: each layer sees the last states it read, so that a text may have any length."""

    room = ENDLESS

    def __init__(self, model: MiniBERT) -> None:
        self.model = model
        self.memory: dict[str, Array] = {}
        self.is_real: Array | None = None

    def feed(self, ids: Array, is_real: Array) -> Array:
        T = self.model.config.max_seq_length
        cuts = [slice(start, start + T) for start in range(0, ids.shape[1], T)]
        return [self.read_segment(ids[:, cut], is_real[:, cut]) for cut in cuts][-1]

    def read_segment(self, ids: Array, is_real: Array) -> Array:
        B, T = ids.shape
        seen = is_real if self.is_real is None else np.concatenate([self.is_real, is_real], axis=1)
        t = Trace(
            self.model.arena,
            inputs={} if seen.all() else {"attention_mask": seen},
            queries=np.full((B, 1), T - 1),
            keeps=False,
            memory=self.memory,
        )
        logits = self.model.network.forward(ids, t)[:, 0]
        self.memory = remembered(t, self.model.config.memory)
        self.is_real = seen[:, -self.model.config.memory :]
        return logits

    def keep_rows(self, rows: Array) -> None:
        self.memory = {path: states[rows] for path, states in self.memory.items()}
        if self.is_real is not None:
            self.is_real = self.is_real[rows]


def decoder_of(model: MiniBERT) -> Decoder:
    """A decoder that has read nothing."""
    return RecurrentDecoder(model) if model.config.memory else CachedDecoder(model)


def check_continues(model: MiniBERT) -> None:
    """Refuse a model that cannot continue a text."""
    c = model.config
    where = f"{name_or_path(model.folder)}: " if model.folder else ""
    if not c.causal:
        raise ValueError(
            f"{where}this model sees the whole text at once, and has not learned to continue one; "
            "take a causal one, like gpt2, or let it fill in hidden words: mini-bert fill-mask"
        )
    if c.head != "words":
        raise ValueError(f"{where}this model tells {c.head}, not words; take one with a head of words")
    check_weights(model.arena)
