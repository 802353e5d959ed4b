"""Two-stream attention: predict words in any order, without seeing the one that is asked for (Yang et al. 2019).

The content stream reads the text. A query stream runs beside it, with a row for each word asked for: a row that knows
the place of its word, but not the word. Both are rows of one x, so that all else treats them alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.encoder import Stack
from mini_bert.core.layer import Weight
from mini_bert.core.terms import INVISIBLE, Term, at_queries, over_keys
from mini_bert.core.trace import Trace

BEFORE_ALL = np.iinfo(np.int64).min


@dataclass(frozen=True)
class InOrder(Term):
    """s = −10⁹ unless rank_j ≤ rank_i, or rank_j < rank_i if row i only asks; nothing when there is no order"""

    scope = "order"

    def forward(self, q: Array, k: Array, t: Trace) -> Array | None:
        ranks = t.inputs.get("order")
        if ranks is None:
            return None
        last_seen = at_queries(ranks, q, t) - only_asks(q, t)  # (B, Tq)
        unseen = over_keys(ranks, k, BEFORE_ALL)[:, None, :] > last_seen[..., None]
        return np.where(unseen, INVISIBLE, 0).astype(q.real.dtype)[:, None]  # (B, 1, Tq, Tk)

    def backward(self, ds: Array, q: Array, k: Array, t: Trace) -> None:
        return None


def only_asks(q: Array, t: Trace) -> Array:
    """Which rows ask and do not answer: (Tq,), or (B, k) when some rows are asked"""
    numbers = np.arange(q.shape[-2]) if t.queries is None else t.queries
    return numbers >= (t.answering or np.inf)


@dataclass(frozen=True, kw_only=True)
class TwoStreamStack(Stack):
    """y = layers([x; b, …, b]) at the rows of b, one at the place of each word asked for, when the pass has an order

    b is a learned vector, the same for all: it says nothing of the word. Without an order this is a Stack.
    """

    H: int

    def weights(self) -> dict[str, Weight]:
        return {"blank": Weight((1, self.H), "table")}

    def forward(self, x: Array, t: Trace) -> Array:
        if "order" not in t.inputs:
            return super().forward(x, t)
        both = self.both_streams(t)
        assert both.queries is not None
        blanks = np.broadcast_to(t.param("blank"), (*both.queries.shape, self.H))
        return super().forward(np.concatenate([x, blanks], axis=1), both)

    def backward(self, dy: Array, t: Trace) -> Array:
        """db = Σ of the gradients of its rows"""
        if "order" not in t.inputs:
            return super().backward(dy, t)
        both = self.both_streams(t)
        drows = super().backward(dy, both)
        t.add_grads(blank=drows[:, both.answering :].sum((0, 1))[None])
        return drows[:, : both.answering]

    def both_streams(self, t: Trace) -> Trace:
        """The trace of T content rows, which answer, and k query rows, which stand where their words do."""
        B, T = t.inputs["order"].shape
        text = np.broadcast_to(np.arange(T), (B, T))
        words = text if t.queries is None else t.queries
        asking = np.broadcast_to(T + np.arange(words.shape[1]), words.shape)
        return t.but(places=np.concatenate([text, words], axis=1), answering=T, queries=asking)
