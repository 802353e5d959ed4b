"""Where each head looks: all heads at a glance, one in detail, and lines between words.

found = attention(model, "The cat sat on the [MASK].")
found.weights                             # (L, A, T, T): each row of a head sums to 1
found.entropy                             # (L, A, T): how widely each piece looks around, in nats
found.strongest(layer=2, head=1)          # the pairs that are looked at most
found.head(2, 1).figure()                 # one head's map of colours; found.lines(2, 1) draws lines instead
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.attention_targets import Looks, Named, looks, most_above, names_of_targets
from mini_bert.analysis.reading import Reading, as_reading
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.variants import layered
from mini_bert.core.array import Array
from mini_bert.evaluation.representations.attention import entropies
from mini_bert.inference.reading import tokenizer_of
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROBS = "encoder.layers.{i}.attn.probs"
FAINT = 0.05


class Pair(NamedTuple):
    """A piece that looks at another, by their places, and how much of its attention goes there."""

    asking: int
    answering: int
    weight: float


@dataclass(frozen=True)
class AttentionWeights(Shown):
    """`weights` (L, A, T, T): of layer l and head a, how much piece i looks at piece j; `looks` is how
    much of it goes to each of `targets`."""

    pieces: tuple[str, ...]
    weights: Array
    looks: Looks
    targets: tuple[str, ...]
    causal: bool

    @cached_property
    def entropy(self) -> Array:
        """−Σ_j a_ij ln a_ij          (L, A, T), in nats"""
        return self.nats_and_most[0]

    @cached_property
    def most(self) -> Array:
        """(T,): the entropy of a piece that looks alike at all it may see"""
        return self.nats_and_most[1]

    @cached_property
    def nats_and_most(self) -> tuple[Array, Array]:
        L, *_, T = self.weights.shape
        nats, most = entropies(self.weights, np.ones((L, T), bool), self.causal)
        return nats, most[0]

    @cached_property
    def relative_entropy(self) -> Array:
        """(L, A): 0 looks at one piece, 1 at all alike; the mean over pieces that have a choice, nan if none has"""
        has_choice = self.most > 0
        if not has_choice.any():
            return np.full(self.weights.shape[:2], np.nan)
        mean: Array = (self.entropy[..., has_choice] / self.most[has_choice]).mean(-1)
        return mean

    def summary(self, layer: int, head: int) -> Named:
        """What the head looks at in this text, if it is at least a tenth more than a head that looks evenly."""
        self.of_head(layer, head)
        shares, even = self.looks.shares[:, layer, head].tolist(), self.looks.baseline.tolist()
        return most_above(map(Named, self.targets, shares, even), self.relative_entropy[layer, head])

    def strongest(self, layer: int, head: int, count: int = 3) -> list[Pair]:
        """The pairs of one head with the largest weights."""
        a = self.of_head(layer, head)
        best = np.argsort(-a, axis=None, kind="stable")[:count]
        return [
            Pair(int(i), int(j), float(a[i, j]))
            for i, j in zip(*np.unravel_index(best, a.shape), strict=True)
        ]

    def of_head(self, layer: int, head: int) -> Array:
        """(T, T)"""
        L, A = self.weights.shape[:2]
        if not (0 <= layer < L and 0 <= head < A):
            raise ValueError(
                f"layer {layer}, head {head}: the model has layers 0 to {L - 1} with heads 0 to {A - 1}"
            )
        found: Array = self.weights[layer, head]
        return found

    def head(self, layer: int, head: int) -> HeadWeights:
        return HeadWeights(layer, head, self.pieces, self.of_head(layer, head))

    def lines(self, layer: int, head: int, least: float = FAINT) -> HeadLines:
        """Lines from each piece to those that it looks at, unless they get less than `least`."""
        return HeadLines(layer, head, self.pieces, self.of_head(layer, head), least)

    def some_layers(self, layers: Sequence[int] | None = None) -> HeadView:
        """All heads of these layers at a glance, by default of all."""
        chosen = tuple(range(len(self.weights)) if layers is None else layers)
        for layer in chosen:
            self.of_head(layer, 0)
        return HeadView(self.weights[list(chosen)], chosen)

    def figure(self) -> Figure:
        """Every head as a small map, a row of them for each layer."""
        return self.some_layers().figure()


@dataclass(frozen=True)
class HeadView(Shown):
    """Some layers, `weights` (layers, A, T, T), by their numbers."""

    weights: Array
    layers: tuple[int, ...]

    def figure(self) -> Figure:
        from mini_bert.plots.head_view import head_view

        return head_view(self.weights, [str(layer) for layer in self.layers])


@dataclass(frozen=True)
class HeadWeights(Shown):
    """One head, `weights` (T, T): row i is the piece that looks."""

    layer: int
    head: int
    pieces: tuple[str, ...]
    weights: Array

    def figure(self) -> Figure:
        from mini_bert.plots.heat import heat

        unit = f"attention, layer {self.layer}, head {self.head}"
        return heat(self.weights, self.pieces, self.pieces, unit, "looks", "at")


@dataclass(frozen=True)
class HeadLines(Shown):
    """One head as lines from the pieces that look to those that they look at."""

    layer: int
    head: int
    pieces: tuple[str, ...]
    weights: Array
    least: float

    def figure(self) -> Figure:
        from mini_bert.plots.word_lines import word_lines

        title = f"layer {self.layer}, head {self.head}"
        return word_lines(self.pieces, self.weights, title, self.least)


def attention(model: MiniBERT | Reading, text: str | None = None) -> AttentionWeights:
    """Of a reading, or of a text that a model reads.

    A model that calls a layer twice, as DeBERTa's mask decoder does, has an attention for each call.
    """
    reading = as_reading(model, text)
    weights = attention_of(reading)
    tokenizer, causal = tokenizer_of(reading.model), reading.model.config.causal
    seen = looks(weights, reading.ids, tokenizer, causal)
    return AttentionWeights(reading.pieces, weights, seen, tuple(names_of_targets(tokenizer)), causal)


def attention_of(reading: Reading) -> Array:
    """(L, A, T, T)"""
    names = layered(reading.model, PROBS)
    if missing := [name for name in names if name not in reading.passed.arrays]:
        raise ValueError(f"{missing[0]}: this reading did not watch it; read again with watch=('*',)")
    return np.stack([reading.passed.arrays[name][0] for name in names])
