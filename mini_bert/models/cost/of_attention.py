"""The cost of attention and of its score terms."""

from __future__ import annotations

import numpy as np

from mini_bert.core.attention import Attention, GatedAttention
from mini_bert.core.disentangled import ContentToPosition, PositionTerm
from mini_bert.core.recurrence import Recurrent
from mini_bert.core.terms import Causal, Content, Padding, RelativeBias
from mini_bert.core.two_streams import InOrder
from mini_bert.core.xl import Biased, RelativeSegments, SinusoidalDistances
from mini_bert.models.cost.rehearsal import ID_BYTES, Rehearsal, Shape
from mini_bert.models.cost.rehearse import rehearse, rehearse_attending, rehearse_opening, rehearse_term


@rehearse.register
def _(part: Attention | Recurrent, x: Shape, r: Rehearsal) -> Shape:
    return rehearse_attending(part, r.answered(x), r.sources(x), r)


@rehearse_attending.register
def _(part: Attention, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    q = r.keep("q", rehearse(part.query, x, r / "query"))
    k = r.keep("k", rehearse(part.key, source, r / "key"))
    v = r.keep("v", rehearse(part.value, source, r / "value"))
    (B, Tq, _), (_, Tk, _) = q.axes, k.axes
    for term in part.terms:
        rehearse_term(term, q, k, r / term.scope)
    probs = r.keep("softmax", Shape((B, part.A, Tq, Tk), q.itemsize))
    r.keep("mixed", rehearse(part.probs_dropout, probs, r / "probs_dropout"))
    r.multiply(B * Tq * Tk * v.axes[-1])
    context = rehearse_opening(part, q.fresh(v.axes[-1]), x, r)
    return rehearse(part.output, context, r / "output")


@rehearse_opening.register
def _(part: GatedAttention, context: Shape, x: Shape, r: Rehearsal) -> Shape:
    r.keep("opening", rehearse(part.gate, x, r / "gate").fresh())
    return r.keep("gathered", context).fresh()


@rehearse_term.register
def _(
    term: Padding | Causal | RelativeBias | RelativeSegments | InOrder, q: Shape, k: Shape, r: Rehearsal
) -> None:
    """Looked up or compared, not multiplied."""


@rehearse_term.register
def _(term: PositionTerm, q: Shape, k: Shape, r: Rehearsal) -> None:
    _, T, H = k.axes
    rows = np.unique(term.told.rows(np.arange(1 - T, T)))
    x = rehearse(term.table, Shape((1, len(rows)), ID_BYTES), r / "table")
    rehearse(term.project, rehearse(term.dropout, x, r / "dropout"), r / "project")
    r.keep("vectors", Shape((2 * T - 1, H), q.itemsize))
    content = q if isinstance(term, ContentToPosition) else k
    r.multiply(content.size * (2 * T - 1))


@rehearse_term.register
def _(term: Content, q: Shape, k: Shape, r: Rehearsal) -> None:
    r.multiply(q.size * k.axes[1])


@rehearse_term.register
def _(term: Biased, q: Shape, k: Shape, r: Rehearsal) -> None:
    rehearse_term(term.body, q, k, r)


@rehearse_term.register
def _(term: SinusoidalDistances, q: Shape, k: Shape, r: Rehearsal) -> None:
    N = 2 * k.axes[1] - r.memory - 1
    r.multiply(r.keep("r", Shape((N, term.H), q.itemsize)).size * term.H)
    r.multiply(q.size * N)


@rehearse_attending.register
def _(part: Recurrent, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    B, T, H = source.axes
    known = Shape((B, r.memory + T, H), source.itemsize) if r.memory else source
    return rehearse_attending(part.body, x, known, r)
