"""Words in context: which others are near, layer by layer, and how much a word stays itself from text to text.

found = nearest_words(model, "We sat on the river bank.", "bank", texts)
found.layers[3][0]                # the nearest word after layer 3: its text, and the cosine
same = self_similarity(model, "bank", texts)
same.mean                         # (L + 1,): 1 if context changes nothing
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.geometry import layer_title
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.words_read import Word, WordsRead, words_in
from mini_bert.core.array import Array
from mini_bert.evaluation.representations.directions import anisotropy
from mini_bert.evaluation.representations.tokens import centred, unit_rows
from mini_bert.models.mini import MiniBERT

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Neighbour(NamedTuple):
    """A word of a text, and the cosine to the word that was asked for."""

    word: Word
    cosine: float


@dataclass(frozen=True)
class NearestWords(Shown):
    """The nearest words to one, in each of L + 1 layers, the nearest first; text 0 is the word's own."""

    word: Word
    texts: tuple[str, ...]
    layers: tuple[tuple[Neighbour, ...], ...]

    def figure(self) -> Figure:
        from mini_bert.plots.word_grid import word_grid

        count = min(map(len, self.layers))
        words = [[f"{one.word.spelled} · {one.word.text}" for one in layer[:count]] for layer in self.layers]
        cosines = np.array([[one.cosine for one in layer[:count]] for layer in self.layers])
        rows = [layer_title(number) for number in range(len(self.layers))]
        return word_grid(words, cosines, rows, [str(place + 1) for place in range(count)], "cosine")


def nearest_words(
    model: MiniBERT, text: str, word: str | int, texts: Sequence[str], *, top: int = 5, centre: bool = True
) -> NearestWords:
    """The words of `texts`, and the others of `text`, that are nearest to a word of `text` (spelled, or by number).

    Cosines of states from which their mean is taken: all words share a direction, which would make all seem near
    (`centre=False` leaves it in).
    """
    if top < 1:
        raise ValueError(f"top={top}: how many words to tell; choose 1 or more")
    return neighbours_of(words_in(model, [text, *texts]), word, top, centre=centre)


def neighbours_of(read: WordsRead, word: str | int, top: int, *, centre: bool) -> NearestWords:
    """Of a word of the first text, among all words that were read."""
    number = read.find(word)
    if len(read.words) < 2:
        raise ValueError("there is no other word to be near; give more texts")
    near = nearest_of_all(read.layers, top, centre=centre)
    layers = [
        tuple(Neighbour(read.words[one], cosine) for one, cosine in zip(ones, cosines, strict=True))
        for ones, cosines in zip(
            near.numbers[:, number].tolist(), near.cosines[:, number].tolist(), strict=True
        )
    ]
    return NearestWords(read.words[number], read.texts, tuple(layers))


class NearestOfAll(NamedTuple):
    """For each word in each layer the numbers of its k nearest, the nearest first, and the cosines, (L + 1, W, k)"""

    numbers: Array
    cosines: Array


def nearest_of_all(layers: Array, top: int, *, centre: bool = True) -> NearestOfAll:
    """Of every word's vectors (L + 1, W, H): the others that are nearest to it."""
    W = layers.shape[1]
    found: list[tuple[Array, Array]] = []
    for states in layers.astype(np.float64):
        directions = unit_rows(centred(states) if centre else states)
        cosines = directions @ directions.T
        np.fill_diagonal(cosines, -np.inf)
        order = np.argsort(-cosines, axis=1, kind="stable")[:, : min(top, W - 1)]
        found.append((order, np.take_along_axis(cosines, order, 1)))
    return NearestOfAll(np.stack([one for one, _ in found]), np.stack([cosines for _, cosines in found]))


@dataclass(frozen=True)
class SelfSimilarity(Shown):
    """One word in n places: `cosines` (L + 1, n, n) of any two of them in each layer.

    `mean` (L + 1,) is that over pairs, `of_any` that of any two words of the texts, which is what states have in
    common whatever the word (Ethayarajh 2019). `kept` (L,) is the mean cosine of a place's state after a layer with its
    state before.
    """

    word: str
    places: tuple[Word, ...]
    cosines: Array
    of_any: Array
    kept: Array

    @property
    def mean(self) -> Array:
        n = len(self.places)
        found: Array = (self.cosines.sum((1, 2)) - n) / (n * (n - 1))
        return found

    def figure(self) -> Figure:
        from mini_bert.plots.over_layers import LayerCurve, over_layers

        return over_layers(
            [
                LayerCurve(f"“{self.word}” in {len(self.places)} places", self.mean),
                LayerCurve("any two words", self.of_any),
            ],
            "mean cosine",
        )


def self_similarity(model: MiniBERT, word: str, texts: Sequence[str]) -> SelfSimilarity:
    """How alike a word's states are in different places of some texts."""
    read = words_in(model, texts)
    places = [number for number, one in enumerate(read.words) if one.spelled.lower() == word.lower()]
    if len(places) < 2:
        raise ValueError(f"word {word!r}: the texts have {len(places)} of it; give texts with two or more")
    states = read.layers.astype(np.float64)
    own = np.stack([unit_rows(layer[places]) for layer in states])
    return SelfSimilarity(
        word,
        tuple(read.words[number] for number in places),
        own @ own.swapaxes(1, 2),
        np.array([anisotropy(layer) for layer in states]),
        np.einsum("lnh,lnh->l", own[1:], own[:-1]) / len(places),
    )
