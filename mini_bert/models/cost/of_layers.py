"""The cost of the smallest layers, and of tables."""

from __future__ import annotations

from mini_bert.core.disentangled import NormedTable
from mini_bert.core.embeddings import LearnedPositions, PositionsAfterPadding, TokenTable, TokenTypes
from mini_bert.core.feedforward import GatedFeedForward
from mini_bert.core.heads import NoHead
from mini_bert.core.layer import Identity
from mini_bert.core.layers import (
    GELU,
    Dropout,
    GELUTanh,
    LayerNorm,
    Linear,
    LinearWithoutBias,
    ReLU,
    RMSNorm,
    SiLU,
    Tanh,
)
from mini_bert.models.cost.rehearsal import ID_BYTES, Rehearsal, Shape
from mini_bert.models.cost.rehearse import rehearse


@rehearse.register
def _(part: Identity | NoHead, x: Shape, r: Rehearsal) -> Shape:
    return x


@rehearse.register
def _(part: Linear | LinearWithoutBias, x: Shape, r: Rehearsal) -> Shape:
    r.keep("x", x)
    r.multiply(x.size * part.O)
    return x.fresh(part.O)


@rehearse.register
def _(part: LayerNorm | RMSNorm, x: Shape, r: Rehearsal) -> Shape:
    r.keep("x_hat", x.fresh())
    r.keep("inv_sigma" if isinstance(part, LayerNorm) else "inv_r", x.fresh(1))
    return x.fresh()


@rehearse.register
def _(part: ReLU | Tanh, x: Shape, r: Rehearsal) -> Shape:
    return r.keep("y", x.fresh())


@rehearse.register
def _(part: GELU | GELUTanh | SiLU, x: Shape, r: Rehearsal) -> Shape:
    r.keep("x", x)
    r.keep({GELU: "cdf", GELUTanh: "tanh_u", SiLU: "sigma"}[type(part)], x.fresh())
    return x.fresh()


@rehearse.register
def _(part: Dropout, x: Shape, r: Rehearsal) -> Shape:
    if not r.noisy:
        return x
    r.keep("mask", x.fresh())
    return x.fresh()


@rehearse.register
def _(part: TokenTable, ids: Shape, r: Rehearsal) -> Shape:
    r.keep("ids", ids)
    return Shape((*ids.axes, part.H), r.itemsize)


@rehearse.register
def _(part: NormedTable, rows: Shape, r: Rehearsal) -> Shape:
    return rehearse(part.norm, rehearse(part.body, rows, r), r / "norm")


@rehearse.register
def _(part: LearnedPositions | TokenTypes, x: Shape, r: Rehearsal) -> Shape:
    return x.fresh()


@rehearse.register
def _(part: PositionsAfterPadding, x: Shape, r: Rehearsal) -> Shape:
    r.keep("places", Shape(x.axes[:-1], ID_BYTES))
    return x.fresh()


@rehearse.register
def _(part: GatedFeedForward, x: Shape, r: Rehearsal) -> Shape:
    gate = rehearse(part.gate, x, r / "gate")
    opening = r.keep("opening", rehearse(part.activation, gate, r / "activation"))
    r.keep("content", rehearse(part.up, x, r / "up"))
    return rehearse(part.down, opening.fresh(), r / "down")
