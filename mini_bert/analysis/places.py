"""Where in a model a weight or an activation lives: its layer, and what kind of part it belongs to."""

from __future__ import annotations

import re
from typing import Literal, get_args

Kind = Literal["embeddings", "attention", "feed-forward", "norms", "residual stream", "head"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LAYER_NUMBER = re.compile(r"\bencoder\.layers\.(\d+)\b")


def kind_of(dotted: str) -> Kind:
    """
    >>> kind_of("encoder.layers.0.attn.query.weight"), kind_of("encoder.layers.0.ffn.norm.bias")
    ('attention', 'norms')
    >>> kind_of("encoder.layers.0.out"), kind_of("hidden"), kind_of("encoder.relative.weight")
    ('residual stream', 'norms', 'embeddings')
    """
    parts = dotted.removeprefix("generator.").split(".")
    if parts[-1] in ("residual", "questions") or (parts[-1] == "out" and len(parts) == 4):
        return "residual stream"
    if parts == ["hidden"] or any("norm" in part for part in parts):
        return "norms"
    if "attn" in parts:
        return "attention"
    if "ffn" in parts:
        return "feed-forward"
    return "head" if parts[0] in ("head", "second_head") else "embeddings"


def layer_number(dotted: str) -> int | None:
    """The layer of the encoder that it belongs to, None if it is in none."""
    found = LAYER_NUMBER.search(dotted)
    return int(found[1]) if found else None


def place_name(layer: str) -> str:
    """
    >>> place_name("encoder.layers.3"), place_name("final_norm"), place_name("head")
    ('layer 3', 'final norm', 'head')
    """
    return layer.replace("encoder.layers.", "layer ").replace("_", " ")
