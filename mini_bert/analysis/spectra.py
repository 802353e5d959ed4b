"""The singular values of every weight matrix, beside those of a random matrix of its size.

    found = spectra(model)
    found["W_Q_0"].effective_rank, found["W_Q_0"].spikes
    spectra_over("runs/stories")                     # over the checkpoints of a run

Training begins with random matrices. What it builds stands out from the bulk of random values, and an effective rank
that falls says that a matrix has come to use few directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from mini_bert.analysis.history import Course, history_of
from mini_bert.analysis.random_matrices import largest_of_random, random_effective_rank, random_quantiles
from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.errors import unknown
from mini_bert.evaluation.representations.dimensions import effective_rank
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import short
from mini_bert.training.inspection import layer_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MUCH_LONGER = 3
"""From this ratio of sides on, singular values come from the small square of the matrix with itself."""
Ranked = Literal["effective rank", "stable rank", "largest value", "spikes"]
RANKED: tuple[Ranked, ...] = ("effective rank", "stable rank", "largest value", "spikes")


@dataclass(frozen=True)
class Spectrum(Shown):
    """σ₁ ≥ σ₂ ≥ … of a matrix (rows, columns), and the deviation that its entries have."""

    name: str
    shape: tuple[int, int]
    values: Array
    deviation: float

    @cached_property
    def effective_rank(self) -> float:
        """e to the entropy of σ / Σσ (Roy & Vetterli 2007)"""
        return effective_rank(self.values)

    @cached_property
    def random_effective_rank(self) -> float:
        """What independent numbers in a matrix of this shape have, by the law of Marchenko and Pastur"""
        return random_effective_rank(*self.shape)

    @property
    def stable_rank(self) -> float:
        """Σσ² / σ₁²: at most the rank, and not moved by tiny values (Rudelson & Vershynin 2007); 0 of zeros"""
        largest = float(self.values[0])
        return float((self.values / largest) @ (self.values / largest)) if largest else 0.0

    @property
    def edge(self) -> float:
        """Where the values of a random matrix with entries of this size end, 99 times of 100"""
        return self.deviation * largest_of_random(*self.shape)

    @property
    def spikes(self) -> int:
        """How many values stand out. What stands out makes the entries larger too, so that few are counted wrongly."""
        return int((self.values > self.edge).sum())

    def figure(self) -> Figure:
        from mini_bert.plots.spectrum import spectrum

        random = self.deviation * random_quantiles(*self.shape)
        return spectrum({self.name: self.values, "random, as large": random}, self.edge)


@dataclass(frozen=True)
class Spectra(Shown, Mapping[str, Spectrum]):
    """A spectrum for each matrix, by dotted or short name."""

    found: dict[str, Spectrum]

    def __getitem__(self, name: str) -> Spectrum:
        by_short = {one.name: dotted for dotted, one in self.found.items()}
        key = by_short.get(name, name)
        if key not in self.found:
            raise KeyError(unknown("matrix", name, [*by_short, *self.found]))
        return self.found[key]

    def __iter__(self) -> Iterable[str]:  # type: ignore[override]
        return iter([one.name for one in self.found.values()])

    def __len__(self) -> int:
        return len(self.found)

    def figure(self) -> Figure:
        """Of each matrix, its effective rank beside that of a random one of its shape."""
        from mini_bert.plots.bars import Bar, bars

        entries = [
            Bar(one.name, 100 * one.effective_rank / one.random_effective_rank) for one in self.found.values()
        ]
        return bars(entries, "effective rank (% of that of a random matrix)")


def spectra(model: MiniBERT, patterns: str | Iterable[str] = "*") -> Spectra:
    """Of every weight with rows and columns, tables too, whose dotted or short name fits."""
    return Spectra({name: spectrum_of(model.arena[name], short(name)) for name in matrices(model, patterns)})


def matrices(model: MiniBERT, patterns: str | Iterable[str]) -> list[str]:
    patterns = [patterns] if isinstance(patterns, str) else list(patterns)
    known = [name for name, weight in model.arena.items() if weight.ndim == 2 and min(weight.shape) > 1]
    found = [
        name
        for name in known
        if any(fnmatchcase(name, one) or fnmatchcase(short(name), one) for one in patterns)
    ]
    if not found:
        raise ValueError(unknown("matrix", patterns[0], [*map(short, known), *known]))
    return found


def spectrum_of(matrix: Array, name: str = "matrix") -> Spectrum:
    rows, columns = matrix.shape
    wide = matrix.astype(np.float64)
    return Spectrum(name, (rows, columns), singular_values(wide), float(np.sqrt(np.mean(wide * wide))))


def singular_values(matrix: Array) -> Array:
    """The largest first, as many as the shorter side has entries.

    Of long matrices they are the roots of the eigenvalues of MᵀM, which takes a fraction of the time; those below
    1e-8 of the largest are then lost in rounding.
    """
    m = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    if m.shape[0] < MUCH_LONGER * m.shape[1]:
        return np.linalg.svd(m, compute_uv=False)
    found: Array = np.sqrt(np.maximum(np.linalg.eigvalsh(m.T @ m)[::-1], 0))
    return found


@dataclass(frozen=True)
class SpectraOverTime(Shown):
    """Ranks and largest values (matrices, moments) at `steps`."""

    steps: Array
    names: tuple[str, ...]
    dotted: tuple[str, ...]
    effective_ranks: Array
    stable_ranks: Array
    largest: Array
    spikes: Array

    def figure(self, what: Ranked = "effective rank") -> Figure:
        """The mean over the matrices of each layer."""
        from mini_bert.plots.layers import by_layer
        from mini_bert.plots.series import Series

        measured = (self.effective_ranks, self.stable_ranks, self.largest, self.spikes)
        known = dict(zip(RANKED, measured, strict=True))
        if what not in known:
            raise ValueError(unknown("measure", what, list(RANKED)))
        places = [layer_of(name) for name in self.dotted]
        series = {
            layer: Series(self.steps, known[what][[place == layer for place in places]].mean(0))
            for layer in dict.fromkeys(places)
        }
        return by_layer(series, f"{what} (mean)", is_logarithmic=False)


def spectra_over(course: Course, patterns: str | Iterable[str] = "*") -> SpectraOverTime:
    """Over the checkpoints of a run and the weights before its first step, or over models in their order."""
    history = history_of(course)
    found = [list(spectra(model, patterns).found.items()) for _, model in history]

    def over(measure: str) -> Array:
        return np.array([[getattr(one, measure) for _, one in row] for row in found]).T

    return SpectraOverTime(
        np.array(history.steps),
        tuple(one.name for _, one in found[0]),
        tuple(dotted for dotted, _ in found[0]),
        over("effective_rank"),
        over("stable_rank"),
        np.array([[one.values[0] for _, one in row] for row in found]).T,
        over("spikes"),
    )
