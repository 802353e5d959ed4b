"""What weights and kept arrays amount to, by part of the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from math import prod

from mini_bert.core.array import Array
from mini_bert.core.network import Network

PARTS = {
    "embeddings.token.*": "tokens",
    "embeddings.position.*": "positions",
    "embeddings.token_type.*": "segments",
    "embeddings.norm.*": "embedding norm",
    "embeddings.project.*": "embedding projection",
    "embeddings.*": "embedding dropout",
    "encoder.relative.*": "distances",
    "encoder.position.*": "decoder positions",
    "encoder.blank": "query stream",
    "encoder.layers.*.norm.*": "layer norms",
    "encoder.layers.*.attn.*": "attention",
    "encoder.layers.*.ffn.*": "feed-forward",
    "encoder.layers.*.checkpoint": "checkpoints",
    "encoder.layers.*.source": "checkpoints",
    "final_norm.*": "final norm",
    "head.*": "head",
    "second_head.*": "second head",
    "generator.*": "generator",
    "word_probs": "loss",
    "answer_probs": "loss",
    "replaced*": "loss",
}
"""A dotted name's part of the model; the first pattern that fits."""


def measured_bytes(kept: Mapping[str, Array]) -> int:
    """The memory of the arrays a real trace keeps, each buffer once however many views of it there are."""
    buffers = {id(buffer): buffer for buffer in map(buffer_of, kept.values())}
    return sum(buffer.nbytes for buffer in buffers.values())


def buffer_of(array: Array) -> Array:
    """The array that owns the memory."""
    return array if array.base is None else buffer_of(array.base)


def parameters(network: Network) -> dict[str, int]:
    """How many numbers each weight has, by dotted name."""
    return {name: prod(weight.shape) for name, weight in network.all_weights().items()}


def by_part(amounts: Mapping[str, int]) -> Counter[str]:
    """Amounts by dotted name, added up by part of the model."""
    total: Counter[str] = Counter()
    for name, amount in amounts.items():
        total[next((part for pattern, part in PARTS.items() if fnmatchcase(name, pattern)), "other")] += (
            amount
        )
    return total
