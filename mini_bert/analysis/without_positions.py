"""A network that does not know where tokens stand, on the same weights."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from mini_bert.core.attention import Attention
from mini_bert.core.disentangled import ContentToPosition, PositionToContent
from mini_bert.core.embeddings import LearnedPositions, PositionsAfterPadding
from mini_bert.core.layer import Identity, Part
from mini_bert.core.network import Network
from mini_bert.core.terms import RelativeBias, Rotary, Term
from mini_bert.core.xl import Biased, SinusoidalDistances

ADDED = (LearnedPositions, PositionsAfterPadding)
SCORED = (RelativeBias, ContentToPosition, PositionToContent, SinusoidalDistances)


def without_positions(network: Network) -> Network:
    """Added positions are left away, so are terms of scores that see distances, and rotary ones turn nothing."""
    bare = stripped(network)
    assert isinstance(bare, Network)
    return bare


def stripped(part: Part) -> Part:
    if isinstance(part, ADDED):
        return Identity()
    changed: dict[str, Any] = {}
    for field in fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        if isinstance(part, Attention) and field.name == "terms":
            changed["terms"] = tuple(unplaced(term) for term in value if not is_placed(term))
        elif isinstance(value, Part):
            changed[field.name] = stripped(value)
        elif isinstance(value, tuple):
            changed[field.name] = tuple(stripped(one) if isinstance(one, Part) else one for one in value)
    return replace(part, **changed)  # type: ignore[type-var]


def is_placed(term: Term) -> bool:
    return isinstance(term.body if isinstance(term, Biased) else term, SCORED)


def unplaced(term: Term) -> Term:
    return term.body if isinstance(term, Rotary) else term
