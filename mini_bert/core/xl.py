"""The score terms of Transformer-XL and XLNet (Dai et al. 2019, Yang et al. 2019).

s = ((q + u) kᵀ + (q + v) (W_R R)ᵀ + (q + w) Sᵀ) / √D: what a key says, how far it is, and whether it is in the same
segment, each asked with a bias of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.heads import merge_heads, multiply_heads, split_heads
from mini_bert.core.functions.linear import project, rows
from mini_bert.core.functions.windows import windows, windows_backward
from mini_bert.core.layer import Weight
from mini_bert.core.terms import Slopes, Term, at_queries, over_keys, query_positions
from mini_bert.core.trace import Trace


@dataclass(frozen=True)
class Biased(Term):
    """The term inside, on q + u: u, D numbers for each head, is what everyone asks, whatever the query."""

    body: Term
    H: int

    @property
    def scope(self) -> str:
        return self.body.scope

    def weights(self) -> dict[str, Weight]:
        return {"bias": Weight((self.H,), "bias")}

    def forward(self, q: Array, k: Array, t: Trace) -> Array | None:
        return self.body.forward(self.biased(q, t), k, t)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> Slopes | None:
        """du = Σ dq over all queries, for q + u has the same slope in both"""
        slopes = self.body.backward(ds, self.biased(q, t), k, t)
        if slopes is not None and slopes[0] is not None:
            t.add_grads(bias=slopes[0].sum((0, 2)).reshape(-1))
        return slopes

    def biased(self, q: Array, t: Trace) -> Array:
        A, D = q.shape[1], q.shape[3]
        biased: Array = q + t.param("bias").reshape(A, 1, D)
        return biased


@dataclass(frozen=True)
class SinusoidalDistances(Term):
    """s_ij = q_i · r_{i−j} / √D  with  r = R W_Rᵀ: a vector for each distance, made of waves by a learned map"""

    scope = "positions"

    H: int

    def weights(self) -> dict[str, Weight]:
        return {"weight": Weight((self.H, self.H), "matrix")}

    def forward(self, q: Array, k: Array, t: Trace) -> Array:
        A, D = q.shape[1], q.shape[3]
        r = t.keep("r", split_heads(project(self.waves(q, k, t), t.param("weight"))[None], A)[0])  # (A, N, D)
        by_distance: Array = (q * (1 / sqrt(D))) @ r.swapaxes(-1, -2)  # (B, A, Tq, N)
        return windows(by_distance, self.starts(q, k, t), k.shape[-2])

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> Slopes:
        """Each ds_ij goes to its distance: dq = ds r,  dr = Σ dsᵀ q,  dW_R = drᵀ R"""
        r = t["r"]
        ds = windows_backward(ds * (1 / sqrt(q.shape[-1])), self.starts(q, k, t), r.shape[-2])
        dr = t.show_grad("r", (ds.swapaxes(-1, -2) @ q).sum(0))  # (A, N, D)
        t.add_grads(weight=rows(merge_heads(dr[None])).T @ self.waves(q, k, t))
        return multiply_heads(ds, r), None

    def waves(self, q: Array, k: Array, t: Trace) -> Array:
        """R (N, H), for the distances of every place after the first `offset` keys to every key."""
        Tk = k.shape[-2]
        return sinusoids(Tk - 1, 2 * Tk - t.offset - 1, self.H, q.real.dtype)

    def starts(self, q: Array, k: Array, t: Trace) -> Array:
        """Where among the distances, which fall as j grows, that of j = 0 is found: (B, Tq)"""
        return np.broadcast_to(k.shape[-2] - 1 - query_positions(q, t), (len(q), q.shape[-2]))


@dataclass(frozen=True)
class RelativeSegments(Term):
    """s_ij = q_i · S[0 if i and j are in the same segment, else 1] / √D; nothing when no segments are told

    What came before this pass counts as segment 0.
    """

    scope = "segments"

    H: int

    def weights(self) -> dict[str, Weight]:
        return {"table": Weight((2, self.H), "table")}

    def forward(self, q: Array, k: Array, t: Trace) -> Array | None:
        differ = self.differ(q, k, t)
        if differ is None:
            return None
        both = (q * (1 / sqrt(q.shape[-1]))) @ self.pair(q, t).swapaxes(-1, -2)  # (B, A, Tq, 2)
        return np.where(differ, both[..., 1:], both[..., :1])

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> Slopes | None:
        """Both sums of ds over j, where segments are the same and where not: dq = d_both S,  dS = Σ d_bothᵀ q"""
        differ = self.differ(q, k, t)
        if differ is None:
            return None
        same, other = ((ds * where).sum(-1) for where in (~differ, differ))
        dboth = np.stack([same, other], -1) * (1 / sqrt(q.shape[-1]))  # (B, A, Tq, 2)
        dpair = (dboth.swapaxes(-1, -2) @ q).sum(0)  # (A, 2, D)
        t.add_grads(table=merge_heads(dpair[None])[0])
        return multiply_heads(dboth, self.pair(q, t)), None

    def pair(self, q: Array, t: Trace) -> Array:
        """S in A heads, (A, 2, D)"""
        pair: Array = split_heads(t.param("table")[None], q.shape[1])[0]
        return pair

    def differ(self, q: Array, k: Array, t: Trace) -> Array | None:
        """Whether query and key are in different segments, (B, 1, Tq, Tk)"""
        segments = t.inputs.get("token_type_ids")
        if segments is None:
            return None
        found: Array = at_queries(segments, q, t)[..., None] != over_keys(segments, k, 0)[:, None, :]
        return found[:, None]


@lru_cache(maxsize=16)
def sinusoids(farthest: int, N: int, H: int, dtype: np.dtype[Any]) -> Array:
    """R_δ = [sin δω, cos δω],  ω_i = 10000^(−2i/H): δ = farthest, farthest − 1, …, N of them, (N, H)"""
    frequencies = 10000.0 ** (-np.arange(0, H, 2) / H)
    angles = (farthest - np.arange(N))[:, None] * frequencies
    waves = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(dtype)
    waves.flags.writeable = False
    return waves
