"""How much of each input piece is in each state, if attention were all that mixes them (Abnar & Zuidema 2020).

Ã_l = ½ (mean over heads of A_l) + ½ I: the residual connection is half of what a state is made of.

found = rollout(model, "The cat sat on the mat.")
found.layers[-1]                          # (T, T): Ã_L ⋯ Ã_1, row i says what the last state i is made of
attention_flow(model, "The cat sat on the mat.", place=0)   # the most that can flow from each piece to one state
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mini_bert.analysis.attention import attention_of
from mini_bert.analysis.maximum_flow import maximum_flows
from mini_bert.analysis.reading import Reading, as_reading
from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESIDUAL = 0.5


@dataclass(frozen=True)
class Rollout(Shown):
    """`layers` (L, T, T): after layer l, how much of piece j is in state i. Rows sum to 1."""

    pieces: tuple[str, ...]
    layers: Array

    def figure(self) -> Figure:
        """After the last layer."""
        from mini_bert.plots.heat import heat

        return heat(self.layers[-1], self.pieces, self.pieces, "share of the piece", "state", "is made of")


@dataclass(frozen=True)
class Flow(Shown):
    """What the last state at `place` may get of each piece, (T,) each.

    `raw` is the last layer's attention, the mean over its heads, `rollout` the product over all layers, and `flow` the
    most that can pass through all layers at once if a weight is how much goes through (the maximum flow).
    """

    pieces: tuple[str, ...]
    place: int
    raw: Array
    rollout: Array
    flow: Array

    def figure(self) -> Figure:
        from mini_bert.plots.heat import heat

        columns = [f"{place} {piece}" for place, piece in enumerate(self.pieces)]
        values = np.stack([share / share.sum() for share in (self.raw, self.rollout, self.flow)])
        told = f"into {self.pieces[self.place]} at {self.place} from"
        return heat(values, ["raw", "rollout", "flow"], columns, "share", column_label=told)


def rollout(model: MiniBERT | Reading, text: str | None = None, *, residual: float = RESIDUAL) -> Rollout:
    """Of a reading, or of a text that a model reads; `residual` is the share that goes past attention."""
    reading = as_reading(model, text)
    mixed = mixing(attention_of(reading), residual)
    layers = [mixed[0]]
    for one in mixed[1:]:
        layers.append(one @ layers[-1])
    return Rollout(reading.pieces, np.stack(layers))


def attention_flow(
    model: MiniBERT | Reading, text: str | None = None, *, place: int = 0, residual: float = RESIDUAL
) -> Flow:
    """What flows into one state; see Flow. Milliseconds for a small model, seconds for twelve layers of a long text."""
    reading = as_reading(model, text)
    T = len(reading.pieces)
    if not 0 <= place < T:
        raise ValueError(f"place {place}: the text has places 0 to {T - 1}")
    weights = attention_of(reading)
    mixed = mixing(weights, residual)
    product = np.eye(T)[place]
    for one in mixed[::-1]:
        product = product @ one
    flow = maximum_flows(mixed[::-1], place)
    return Flow(reading.pieces, place, weights[-1].mean(0)[place], product, flow)


def mixing(weights: Array, residual: float) -> Array:
    """(1 − r) mean over heads + r I          (L, A, T, T) → (L, T, T), in float64"""
    if not 0 <= residual <= 1:
        raise ValueError(f"residual={residual}: the share that goes past attention; choose from 0 to 1")
    mean = weights.mean(1, dtype=np.float64)
    mixed: Array = (1 - residual) * mean + residual * np.eye(mean.shape[-1])
    return mixed
