"""Score terms: attention is softmax(Σ terms) v. Content, padding, causality and relative positions are terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.heads import multiply_heads
from mini_bert.core.functions.rotary import rotary, rotary_backward
from mini_bert.core.layer import Part, Weight
from mini_bert.core.trace import Trace

INVISIBLE = -1e9
"""A score so low that exp gives exactly 0 beside any visible one, yet finite: a row with nothing to see is no NaN."""


Slopes = tuple[Array | None, Array | None]
"""dq, dk; None for zero"""


class Term(Part, ABC):
    """forward(q, k, t) → scores, or None for "nothing to add";  backward(ds, q, k, t) → dq, dk, or None for "zero".

    q (B, A, Tq, D), k (B, A, Tk, D), scores and ds broadcast to (B, A, Tq, Tk). `scope` names its weights.
    """

    @property
    @abstractmethod
    def scope(self) -> str: ...

    @abstractmethod
    def forward(self, q: Array, k: Array, t: Trace) -> Array | None: ...

    @abstractmethod
    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> Slopes | None: ...


@dataclass(frozen=True)
class Content(Term):
    """s = q kᵀ / √(nD): how well each query matches each key. n is the number of such terms that are summed."""

    scope = "content"

    summed: int = 1

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        scores: Array = (q * self.scale(q)) @ k.swapaxes(-1, -2)
        return scores

    def scale(self, q: Array) -> float:
        return 1 / sqrt(self.summed * q.shape[-1])

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        ds = ds * self.scale(q)
        return multiply_heads(ds, k), multiply_heads(ds.swapaxes(-1, -2), q)


@dataclass(frozen=True)
class Padding(Term):
    """s = −10⁹ where attention_mask is 0, so that nobody looks at padding; nothing when there is no mask."""

    scope = "padding"

    def forward(self, q: Array, k: Array, t: Trace) -> Array | None:
        mask = t.inputs.get("attention_mask")
        if mask is None:
            return None
        real = over_keys(mask, k, True)
        return np.where(real, 0, INVISIBLE).astype(q.real.dtype)[:, None, None, :]  # (B, 1, 1, Tk)

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

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> Slopes | None:
        inner = self.body.backward(ds, *self.turned(q, k, t), t)
        if inner is None:
            return None
        dq, dk = (
            None if slope is None else rotary_backward(slope, places, self.base)
            for slope, places in zip(inner, self.places(q, k, t), strict=True)
        )
        return dq, dk

    def turned(self, q: Array, k: Array, t: Trace) -> tuple[Array, Array]:
        """A key is turned when it is new, and found again turned in later passes."""
        i, j = self.places(q, k, t)
        new = 0 if t.past is None else t.offset
        return rotary(q, i, self.base), t.after_past("turned", rotary(k[..., new:, :], j[new:], self.base))

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
    """Where each query stands among the keys: (Tq,) when all positions are asked, (B, k) when some are."""
    if t.places is None:
        return t.offset + (np.arange(q.shape[-2]) if t.queries is None else t.queries)
    return t.offset + (t.places if t.queries is None else np.take_along_axis(t.places, t.queries, 1))


def at_queries(values: Array, q: Array, t: Trace) -> Array:
    """values (B, T) of the tokens of this pass, for each query: (B, Tq)"""
    places = query_positions(q, t) - t.offset
    return np.take_along_axis(values, np.broadcast_to(places, (len(values), places.shape[-1])), 1)


def over_keys(values: Array, k: Array, before: int) -> Array:
    """values (B, T) of the tokens of this pass, for each key: (B, Tk); `before` for those that came before it"""
    return np.pad(values, ((0, 0), (k.shape[-2] - values.shape[1], 0)), constant_values=before)


def distances(q: Array, k: Array, t: Trace) -> Array:
    """i − j for query i and key j: (Tq, Tk), or (B, k, Tk) when some positions are asked.

    The keys are all there are, those of the tokens before this pass first.
    """
    return query_positions(q, t)[..., None] - np.arange(k.shape[-2])
