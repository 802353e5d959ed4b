"""Score terms: attention is softmax(Σ terms) v. Content, padding, causality and relative positions are terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.heads import multiply_heads
from mini_bert.core.functions.rotary import rotary, rotary_backward
from mini_bert.core.layer import Part, Weight
from mini_bert.core.trace import Trace

INVISIBLE = -1e9
"""A score so low that exp gives exactly 0 beside any visible one, yet finite: a row with nothing to see is no NaN."""


class Term(Part, ABC):
    """forward(q, k, t) → scores, or None for "nothing to add";  backward(ds, q, k, t) → dq, dk, or None for "zero".

    q (B, A, Tq, D), k (B, A, Tk, D), scores and ds broadcast to (B, A, Tq, Tk). `scope` names its weights.
    """

    scope: ClassVar[str]

    @abstractmethod
    def forward(self, q: Array, k: Array, t: Trace) -> Array | None: ...

    @abstractmethod
    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array] | None: ...


@dataclass(frozen=True)
class Content(Term):
    """s = q kᵀ / √D: how well each query matches each key."""

    scope = "content"

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        scores: Array = (q * (1 / sqrt(q.shape[-1]))) @ k.swapaxes(-1, -2)
        return scores

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        ds = ds * (1 / sqrt(q.shape[-1]))
        return multiply_heads(ds, k), multiply_heads(ds.swapaxes(-1, -2), q)


@dataclass(frozen=True)
class Padding(Term):
    """s = −10⁹ where attention_mask is 0, so that nobody looks at padding; nothing when there is no mask."""

    scope = "padding"

    def forward(self, q: Array, k: Array, t: Trace) -> Array | None:
        mask = t.inputs.get("attention_mask")
        if mask is None:
            return None
        return np.where(mask, 0, INVISIBLE).astype(q.real.dtype)[:, None, None, :]  # (B, 1, 1, Tk)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> None:
        return None


@dataclass(frozen=True)
class Causal(Term):
    """s = −10⁹ where the key stands after the query: no looking ahead."""

    scope = "causal"

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        ahead = distances(q, k, t)[..., None, :, :] < 0  # the same for every head
        return np.where(ahead, INVISIBLE, 0).astype(q.real.dtype)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> None:
        return None


@dataclass(frozen=True)
class Rotary(Term):
    """The term inside, on q and k turned by angles that grow with position (RoPE): scores see only distances."""

    scope = "rotary"

    body: Term = Content()
    base: float = 10000.0

    def forward(self, q: Array, k: Array, t: Trace) -> Array | None:
        return self.body.forward(*self.turned(q, k, t), t)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array] | None:
        inner = self.body.backward(ds, *self.turned(q, k, t), t)
        if inner is None:
            return None
        (dq, dk), (i, j) = inner, self.places(q, k, t)
        return rotary_backward(dq, i, self.base), rotary_backward(dk, j, self.base)

    def turned(self, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        i, j = self.places(q, k, t)
        return rotary(q, i, self.base), rotary(k, j, self.base)

    def places(self, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        return query_positions(q, t)[..., None, :], np.arange(k.shape[-2])  # the same for every head


@dataclass(frozen=True)
class RelativeBias(Term):
    """s = b[i − j], one learned number per head and distance, clipped at `reach` (Raffel et al. 2020)."""

    scope = "relative"

    A: int
    reach: int

    def weights(self) -> dict[str, Weight]:
        return {"table": Weight((self.A, 2 * self.reach + 1), "table")}

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        bias: Array = t.param("table").T[self.rows(q, k, t)]
        return np.moveaxis(bias, -1, -3)  # (Tq, Tk, A) → (A, Tq, Tk)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> None:
        B, A, *square = ds.shape
        places = np.broadcast_to(self.rows(q, k, t), (B, *square)).reshape(-1)
        dtable = [np.bincount(places, ds[:, a].reshape(-1), 2 * self.reach + 1) for a in range(A)]
        t.add_grads(table=np.stack(dtable).astype(ds.dtype))
        return None

    def rows(self, q: Array, k: Array, t: Trace) -> Array:
        """The table's row for each distance i − j."""
        return np.clip(distances(q, k, t), -self.reach, self.reach) + self.reach


def query_positions(q: Array, t: Trace) -> Array:
    """Where each query stands: (Tq,) when all positions are asked, (B, k) when some are."""
    return np.arange(q.shape[-2]) if t.queries is None else t.queries


def distances(q: Array, k: Array, t: Trace) -> Array:
    """i − j for query i and key j: (Tq, Tk), or (B, k, Tk) when some positions are asked."""
    return query_positions(q, t)[..., None] - np.arange(k.shape[-2])
