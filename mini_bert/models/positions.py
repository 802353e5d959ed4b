"""How a model knows where tokens stand: by what is added to their embeddings, or by what scores are summed from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mini_bert.core.disentangled import ContentToPosition, InBuckets, NormedTable, PositionToContent, ToReach
from mini_bert.core.embeddings import LearnedPositions, PositionsAfterPadding, TokenTable
from mini_bert.core.layer import Identity, Layer
from mini_bert.core.layers import Dropout, Linear, LinearWithoutBias
from mini_bert.core.sharing import Neighbours, Shared
from mini_bert.core.terms import Content, RelativeBias, Rotary, Term
from mini_bert.core.xl import Biased, SinusoidalDistances
from mini_bert.models.choices import BIASED, NORMS
from mini_bert.models.config import ModelConfig


def told_apart(c: ModelConfig) -> ToReach | InBuckets:
    farthest = c.reach or c.max_seq_length
    return InBuckets(c.buckets, farthest) if c.buckets else ToReach(farthest)


def distances_table(c: ModelConfig) -> Layer:
    """A row for each of the distances that are told apart"""
    table = TokenTable(told_apart(c).count, c.hidden_size)
    return NormedTable(table, NORMS[c.norm](c.hidden_size, c.norm_eps)) if c.relative_norm else table


def disentangled_terms(c: ModelConfig) -> tuple[Term, ...]:
    """DeBERTa's scores of words and places; the encoder has the table of distances for all of its layers"""
    H, biased = c.hidden_size, BIASED[c.attention_bias] if c.bias else ()
    kinds = {"c2p": ("c2p",), "p2c": ("p2c",), "both": ("c2p", "p2c")}[c.disentangled]
    projections: dict[str, tuple[Layer, Layer]] = {
        "own": (LinearWithoutBias(H, H), Linear(H, H) if c.bias else LinearWithoutBias(H, H)),
        "shared": (
            Neighbours(Linear(H, H) if "key" in biased else LinearWithoutBias(H, H), "key"),
            Neighbours(Linear(H, H) if "query" in biased else LinearWithoutBias(H, H), "query"),
        ),
    }
    to_position, to_content = projections[c.relative_projection]
    common: dict[str, Any] = {
        "n": 1 + len(kinds),
        "told": told_apart(c),
        "table": Shared(distances_table(c), "encoder.relative"),
        "dropout": Dropout(c.dropout) if c.dropout else Identity(),
    }
    made = {
        "c2p": ContentToPosition(**common, project=to_position),
        "p2c": PositionToContent(**common, project=to_content),
    }
    return Content(common["n"]), *(made[kind] for kind in kinds)


POSITIONS: dict[str, Callable[[ModelConfig], Layer]] = {
    "learned": lambda c: LearnedPositions(c.max_seq_length, c.table_size),
    "after-padding": lambda c: PositionsAfterPadding(c.max_seq_length, c.table_size, c.padding_id),
    "learned-and-disentangled": lambda c: LearnedPositions(c.max_seq_length, c.table_size),
}
"""What is added to the embeddings; all other positions are seen by attention alone."""
TERMS: dict[str, Callable[[ModelConfig], tuple[Term, ...]]] = {
    "learned": lambda c: (Content(),),
    "after-padding": lambda c: (Content(),),
    "rotary": lambda c: (Rotary(Content()),),
    "relative": lambda c: (Content(), RelativeBias(c.num_heads, c.reach or c.max_seq_length - 1)),
    "disentangled": disentangled_terms,
    "learned-and-disentangled": disentangled_terms,
    "transformer-xl": lambda c: (
        Biased(Content(), c.hidden_size),
        Biased(SinusoidalDistances(c.hidden_size), c.hidden_size),
    ),
}
"""What attention scores are summed from, beside segments and what must not be seen."""
