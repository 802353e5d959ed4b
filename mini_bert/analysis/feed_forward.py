"""What the units of the feed-forward layers wait for: how often each is active over texts, and on which words.

found = feed_forward_patterns(model, texts)
found.tokens                      # so many were read
found[0].dead                     # units of layer 0 that none of them made active
found[0].contexts(17)             # the words that excite unit 17 most, with what stands around them
promoted_words(model, 0, 17)      # what its output says, read as words; see unit_words.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.activity import Activity
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.words_read import passes_over
from mini_bert.core.array import Array
from mini_bert.core.feedforward import FeedForward, GatedFeedForward
from mini_bert.core.trace import Trace
from mini_bert.models.mini import EVERYTHING, MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AROUND = 4
"""Pieces to each side of a word that are shown with it."""


class Context(NamedTuple):
    """A piece that excites a unit, how much, where it stands, and the pieces around it."""

    value: float
    piece: str
    text: int
    place: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class LayerPatterns:
    """The I units of one feed-forward layer over N tokens; every array is (I,).

    `active` is the share of tokens where a unit's input is positive: ReLU lets it pass, GELU and SiLU nearly so, and a
    gate is open. `mean`, `std`, `kurtosis` and `largest` are of its output: 3 is the kurtosis of a normal distribution,
    more is a unit that is mostly quiet and sometimes loud.
    """

    layer: int
    tokens: int
    active: Array
    mean: Array
    std: Array
    kurtosis: Array
    largest: Array
    top_values: Array
    top_tokens: Array
    pieces: tuple[tuple[str, ...], ...]
    where: Array

    @property
    def dead(self) -> list[int]:
        """Units that no token made active."""
        return np.flatnonzero(self.active == 0).tolist()

    def contexts(self, unit: int) -> list[Context]:
        """What excited a unit most, the most first; of tokens whose value is positive."""
        if not 0 <= unit < len(self.active):
            raise ValueError(f"unit {unit}: layer {self.layer} has units 0 to {len(self.active) - 1}")
        found = []
        for value, token in zip(self.top_values[unit], self.top_tokens[unit], strict=True):
            if value > 0:
                text, place = (int(one) for one in self.where[token])
                row = self.pieces[text]
                found.append(
                    Context(
                        float(value),
                        row[place],
                        text,
                        place,
                        row[max(place - AROUND, 0) : place],
                        row[place + 1 : place + 1 + AROUND],
                    )
                )
        return found


@dataclass(frozen=True)
class FeedForwardPatterns(Shown):
    """The feed-forward layers of a model over `tokens` tokens of text."""

    tokens: int
    layers: tuple[LayerPatterns, ...]

    def __getitem__(self, layer: int) -> LayerPatterns:
        return self.layers[layer]

    def __iter__(self) -> Iterator[LayerPatterns]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def figure(self) -> Figure:
        from mini_bert.plots.activity import activity

        return activity({f"layer {one.layer}": one.active for one in self.layers}, self.tokens)


def feed_forward_patterns(model: MiniBERT, texts: Sequence[str], *, top: int = 8) -> FeedForwardPatterns:
    """Over texts, each cut to what the model reads at once, without special tokens; `top` contexts for each unit."""
    if top < 1:
        raise ValueError(f"top={top}: how many contexts to keep of each unit; choose 1 or more")
    names = [name.removesuffix(".hidden") for name in model.activation_names if name.endswith(".ffn.hidden")]
    watch = tuple(f"{name}.{what}" for name in names for what in ("pre", "hidden"))
    seen = {name: Activity(top) for name in names}
    pieces: dict[int, tuple[str, ...]] = {}
    where: list[tuple[int, int]] = []
    for passed in passes_over(model, texts, watch):
        T = max(map(len, passed.encodings))
        counts = np.zeros((len(passed.encodings), T), bool)
        for row, (number, encoding) in enumerate(zip(passed.numbers, passed.encodings, strict=True)):
            pieces[number] = tuple(encoding.tokens)
            counts[row, : len(encoding)] = ~np.array(encoding.special_tokens_mask, bool)
        where += [(passed.numbers[row], place) for row, place in np.argwhere(counts)]
        for name, one in seen.items():
            one.add(passed.acts[f"{name}.pre"][counts], passed.acts[f"{name}.hidden"][counts])
    if not where:
        raise ValueError("texts: there is not a single word in them")
    rows = tuple(pieces[number] for number in range(len(texts)))
    return FeedForwardPatterns(
        len(where),
        tuple(patterns_of(layer, one, rows, np.array(where)) for layer, one in enumerate(seen.values())),
    )


def patterns_of(
    layer: int, seen: Activity, pieces: tuple[tuple[str, ...], ...], where: Array
) -> LayerPatterns:
    return LayerPatterns(
        layer,
        seen.tokens,
        seen.active,
        seen.mean,
        seen.std,
        seen.kurtosis,
        seen.largest,
        seen.top_values,
        seen.top_tokens,
        pieces,
        where,
    )


def patterns_of_states(model: MiniBERT, x: Array, layer: int, *, top: int = 8) -> LayerPatterns:
    """One feed-forward layer on states (B, T, H) that are at hand; pieces are named by their places."""
    block, t = model.block(layer, Trace(model.arena, watch=EVERYTHING))
    states, t = model.checked_states(x), t / "ffn"
    parts = (part for part in block.walk() if isinstance(part, FeedForward | GatedFeedForward))
    next(parts).forward(states, t)
    acts: Mapping[str, Array] = t.acts
    seen = Activity(top)
    I = acts[f"{t.path}pre"].shape[-1]
    seen.add(acts[f"{t.path}pre"].reshape(-1, I), acts[f"{t.path}hidden"].reshape(-1, I))
    B, T, _ = states.shape
    return patterns_of(
        layer, seen, tuple(tuple(map(str, range(T))) for _ in range(B)), np.argwhere(np.ones((B, T)))
    )
