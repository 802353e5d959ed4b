"""Minimum description length by an online code (Voita & Titov 2020): what it costs to tell the labels to someone who
has the vectors, and a probe that learns as it listens.

    L = n₁ log₂ K + Σᵢ −log₂ p_{θᵢ}(labels of portion i + 1),          θᵢ learned from the portions 1 … i

Representations that show a label plainly need few examples to show it, and so a short code; accuracy at the end does
not tell how hard it was to get there. Compression is the length of the uniform code, n log₂ K, over L.

Portions end at 0.1, 0.2, 0.4, ... 50, 100 % of the examples, which are in random order. A tenth of what was told is
kept aside to choose among epochs, as the listener knows nothing else.
"""

from __future__ import annotations

from itertools import pairwise
from math import log, log2
from typing import NamedTuple

from mini_bert.core.array import Array
from mini_bert.core.chance import permutation
from mini_bert.evaluation.probing.classifier import Gathered, Kind, fit

PERCENT = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.25, 12.5, 25.0, 50.0, 100.0)
ASIDE = 10


class CodeLength(NamedTuple):
    """Bits of the online code, and of the uniform one."""

    bits: float
    uniform: float

    @property
    def compression(self) -> float:
        return self.uniform / self.bits


def online_code(
    vectors: Array,
    places: Array,
    labels: Array,
    classes: int,
    kind: Kind,
    seed: int,
    width: int = 64,
    epochs: int = 5,
) -> CodeLength:
    """The length for labels (N,) of `Gathered(vectors, places)`."""
    order = permutation("online code", len(labels), seed)
    places, labels = places[order], labels[order]
    ends = portions(len(labels))
    bits = ends[0] * log2(classes)
    for told, end in pairwise(ends):
        aside = max(1, told // ASIDE)
        learned, kept, new = slice(told - aside), slice(told - aside, told), slice(told, end)
        probe = fit(
            Gathered(vectors, places[learned]),
            labels[learned],
            classes,
            kind,
            seed,
            (Gathered(vectors, places[kept]), labels[kept]),
            width,
            epochs,
        )
        bits += probe.loss(Gathered(vectors, places[new]), labels[new]) * (end - told) / log(2)
    return CodeLength(bits, len(labels) * log2(classes))


def portions(N: int) -> list[int]:
    """Where they end: each longer than the one before, the first with two examples at least."""
    if N < 2:
        raise ValueError(f"{N} examples cannot be told in portions; give more")
    return sorted({max(2, round(N * percent / 100)) for percent in PERCENT})
