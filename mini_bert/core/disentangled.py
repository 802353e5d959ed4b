"""Disentangled attention: what a token is and how far off it stands are scored apart (DeBERTa, He et al. 2021).

δ = i − j is the distance of key j from query i. A table R with rows for distances is shared by all layers; each term
projects it its own way. The paper looks k_j up under −δ; its published code and weights, and so this, use δ.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.gather import embedding_backward, take_positions, take_positions_backward
from mini_bert.core.functions.heads import multiply_heads
from mini_bert.core.functions.windows import windows, windows_backward
from mini_bert.core.layer import Identity, Layer
from mini_bert.core.terms import Term, query_positions
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class ToReach:
    """row = δ + reach: a row for each distance −reach ≤ δ < reach; what is farther has the row at the end"""

    reach: int

    @property
    def count(self) -> int:
        return 2 * self.reach

    def rows(self, distances: Array) -> Array:
        return np.clip(distances, -self.reach, self.reach - 1) + self.reach


@dataclass(frozen=True)
class InBuckets:
    """row = b(δ) + n,  b(δ) = δ if |δ| ≤ m = n/2, else ±(m + ⌈(m − 1) ln(|δ|/m) / ln((farthest − 1)/m)⌉)  (DeBERTa v2)

    Half of the rows to each side are for single distances, the others for more and more of them.
    """

    n: int
    farthest: int

    @property
    def count(self) -> int:
        return 2 * self.n

    def rows(self, distances: Array) -> Array:
        middle, buckets = self.n // 2, distances.copy()
        far = abs(distances) > middle
        steps = np.log(abs(distances[far]) / middle) / log((self.farthest - 1) / middle) if far.any() else 0
        buckets[far] = np.sign(distances[far]) * (middle + np.ceil(steps * (middle - 1)).astype(int))
        rows: Array = np.clip(buckets + self.n, 0, self.count - 1)
        return rows


@dataclass(frozen=True)
class NormedTable(Layer):
    """y = norm(E[rows]): rows of a table, normalized"""

    body: Layer
    norm: Layer

    def forward(self, x: Array, t: Trace) -> Array:
        return self.norm.forward(self.body.forward(x, t), t / "norm")

    def backward(self, dy: Array, t: Trace) -> Array:
        return self.body.backward(self.norm.backward(dy, t / "norm"), t)


@dataclass(frozen=True, kw_only=True)
class PositionTerm(Term):
    """r_δ = project(R[δ]): a vector for each distance, which meets the content of a token in a score.

    `told` says which distances are told apart. `n` terms are summed.
    """

    n: int
    told: ToReach | InBuckets
    table: Layer
    project: Layer
    dropout: Layer = Identity()

    @abstractmethod
    def distances(self, T: int) -> Array:
        """The δ that occur among T tokens, (2T − 1,), in the order in which the term meets them."""

    def scale(self, q: Array) -> float:
        return 1 / sqrt(self.n * q.shape[-1])

    def vectors(self, q: Array, k: Array, t: Trace) -> Array:
        """r_δ for each of the distances, (A, 2T − 1, D)"""
        rows, places = self.rows(k)
        r = self.table.forward(rows[None], t / "table")  # (1, rows, H)
        r = self.dropout.forward(r, of_no_row(t / "dropout"))
        r = self.project.forward(r, t / "project")[0][places]  # (2T − 1, H)
        return t.keep("vectors", r.reshape(len(places), q.shape[1], -1).swapaxes(0, 1))

    def vectors_backward(self, dr: Array, k: Array, t: Trace) -> None:
        """Distances that are not told apart are one row of R: it gets the sum of their gradients."""
        dr = t.show_grad("vectors", dr).swapaxes(0, 1).reshape(dr.shape[1], -1)  # (2T − 1, H)
        _, drows = embedding_backward(dr, self.rows(k)[1])
        drows = self.project.backward(drows[None], t / "project")
        self.table.backward(self.dropout.backward(drows, of_no_row(t / "dropout")), t / "table")

    def rows(self, k: Array) -> tuple[Array, Array]:
        """Which rows of R occur, and for each of the distances, which of those it has."""
        rows, places = np.unique(self.told.rows(self.distances(k.shape[-2])), return_inverse=True)
        return rows, places


@dataclass(frozen=True, kw_only=True)
class ContentToPosition(PositionTerm):
    """s_ij = q_i · r_δ / √(nD): a word looks at a place, whatever stands there"""

    scope = "content_to_position"

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        r = self.vectors(q, k, t)
        wide: Array = (q * self.scale(q)) @ r.swapaxes(-1, -2)  # (B, A, Tq, 2T − 1)
        return windows(wide, self.starts(q, k, t), k.shape[-2])

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> tuple[Array, None]:
        r = t["vectors"]
        dwide = windows_backward(ds * self.scale(q), self.starts(q, k, t), r.shape[1])
        self.vectors_backward((dwide.swapaxes(-1, -2) @ q).sum(0), k, t)
        return multiply_heads(dwide, r), None

    def distances(self, T: int) -> Array:
        return np.arange(T - 1, -T, -1)  # falling, for δ falls as j grows

    def starts(self, q: Array, k: Array, t: Trace) -> Array:
        """Where among the distances δ = i, that of j = 0, is found: (B, Tq)"""
        return np.broadcast_to(k.shape[-2] - 1 - query_positions(q, t), (len(q), q.shape[-2]))


@dataclass(frozen=True, kw_only=True)
class PositionToContent(PositionTerm):
    """s_ij = r_δ · k_j / √(nD): a place looks for a word, whoever stands there"""

    scope = "position_to_content"

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        r = self.vectors(q, k, t)
        wide: Array = (k * self.scale(q)) @ r.swapaxes(-1, -2)  # (B, A, T, 2T − 1)
        by_key = windows(wide, self.starts(k), k.shape[-2])  # (B, A, j, i), for i of all T positions
        return self.asked(by_key.swapaxes(-1, -2), q, t)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> tuple[None, Array]:
        r = t["vectors"]
        by_key = self.asked_backward(ds * self.scale(q), q, t).swapaxes(-1, -2)
        dwide = windows_backward(by_key, self.starts(k), r.shape[1])
        self.vectors_backward((dwide.swapaxes(-1, -2) @ k).sum(0), k, t)
        return None, multiply_heads(dwide, r)

    def distances(self, T: int) -> Array:
        return np.arange(1 - T, T)  # rising, for δ rises as i grows

    def starts(self, k: Array) -> Array:
        """Where among the distances δ = −j, that of i = 0, is found: (B, T)"""
        T = k.shape[-2]
        return np.broadcast_to(T - 1 - np.arange(T), (len(k), T))

    def asked(self, every: Array, q: Array, t: Trace) -> Array:
        """(B, A, T, T) → (B, A, Tq, T): the rows of those that ask, all from some position on or any (B, Tq)"""
        places = query_positions(q, t)
        if places.ndim == 1:
            return every[:, :, places[0] :]
        return take_positions(every.swapaxes(1, 2), places).swapaxes(1, 2)

    def asked_backward(self, ds: Array, q: Array, t: Trace) -> Array:
        """Rows that do not ask have no gradient; one that asks twice has the sum of both."""
        places = query_positions(q, t)
        if places.ndim == 1:
            return np.pad(ds, ((0, 0), (0, 0), (places[0], 0), (0, 0))) if places[0] else ds
        B, A, Tq, T = ds.shape
        every = take_positions_backward(ds.swapaxes(1, 2).reshape(B, Tq, A * T), places, T)
        return every.reshape(B, T, A, T).swapaxes(1, 2)  # (B, A, T, T)


def of_no_row(t: Trace) -> Trace:
    """This trace, with noise that is the same whichever rows of the batch are at hand: the table belongs to none."""
    return t if t.noise is None else t.but(noise=replace(t.noise, first_row=0))
