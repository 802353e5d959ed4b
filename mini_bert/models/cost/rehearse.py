"""The questions that each kind of part answers: of_layers, of_attention, of_encoders and of_heads have the answers."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from mini_bert.core.layer import Part
from mini_bert.models.cost.rehearsal import Rehearsal, Shape


@singledispatch
def rehearse(part: Part, x: Shape, r: Rehearsal) -> Shape:
    """The shape that `part` makes of x; what it multiplies and keeps is noted in r."""
    check_composite(part)
    for scope, inner in part.parts():
        x = rehearse(inner, x, replace(r, path=r.path + scope))
    return x


def check_composite(part: Part) -> None:
    """Only what is made of parts, and nothing else, may be taken for the sum of them."""
    if part.weights() or not any(part.parts()):
        raise TypeError(f"{type(part).__name__}: its cost is not known; register it in models/cost")


@singledispatch
def rehearse_attending(part: Part, x: Shape, source: Shape, r: Rehearsal) -> Shape:
    """The same for `attend`: x asks, source answers."""
    raise TypeError(f"{type(part).__name__}: the cost of its attend is not known; register it in models/cost")


@singledispatch
def rehearse_opening(part: Part, context: Shape, x: Shape, r: Rehearsal) -> Shape:
    """How much of the context passes: all of it, unless there is a gate."""
    return context


@singledispatch
def rehearse_term(term: Part, q: Shape, k: Shape, r: Rehearsal) -> None:
    """What a score term multiplies, for q (B, Tq, H) and k (B, Tk, H) of all heads together."""
    check_composite(term)
    for scope, inner in term.parts():
        rehearse_term(inner, q, k, replace(r, path=r.path + scope))
