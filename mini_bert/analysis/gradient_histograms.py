"""How the numbers of a pass are spread: histograms of log₁₀ |x| for any weight, activation or gradient by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

import numpy as np

from mini_bert.analysis.backward_pass import BackwardPass, backward_pass
from mini_bert.analysis.lessons import Given
from mini_bert.analysis.shown import Shown
from mini_bert.core.array import Array
from mini_bert.errors import unknown
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import short
from mini_bert.models.passes import Pass

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = Literal["weight gradients", "activation gradients", "activations", "weights"]
BINS = 60
LOWEST_SHARE = 1e-4
"""Of the numbers: fewer on either side are gathered in the outermost bin."""


@dataclass(frozen=True)
class Histograms(Shown):
    """For each name a share (names, bins) of its numbers with log₁₀ |x| between `edges` (bins + 1,).

    A row and its share of exact `zeros` (names,) add up to 1, but for what is not finite. `negative` (names,) is the
    share below 0.
    """

    of: Numbers
    names: tuple[str, ...]
    edges: Array
    shares: Array
    zeros: Array
    negative: Array

    def figure(self) -> Figure:
        from mini_bert.plots.ridges import ridges

        notes = [f"{zeros:.0%} zeros" if zeros >= 0.005 else "" for zeros in self.zeros]
        return ridges(self.edges, self.shares, self.names, notes, f"log₁₀ |x| of {self.of}")


def gradient_histograms(
    model: MiniBERT,
    given: Given | Pass,
    patterns: str | Iterable[str] = "*",
    of: Numbers = "weight gradients",
    bins: int = BINS,
) -> Histograms:
    """Of all numbers whose dotted or short name fits a pattern: `"W_Q_*"`, `"encoder.layers.0.*"`."""
    seen = backward_pass(model, given)
    return histograms(chosen(arrays_of(seen, of), patterns, of), of, bins)


def arrays_of(seen: BackwardPass, of: Numbers) -> Mapping[str, Array]:
    known: dict[str, Mapping[str, Array]] = {
        "weight gradients": seen.gradients,
        "activation gradients": seen.activation_gradients,
        "activations": seen.activations,
        "weights": seen.weights,
    }
    if of not in known:
        raise ValueError(unknown("kind of numbers", of, list(known)))
    return known[of]


def chosen(arrays: Mapping[str, Array], patterns: str | Iterable[str], of: str) -> dict[str, Array]:
    """Those that fit, by short name; each pattern must fit some. Numbers that only count, like ids, are left out."""
    patterns = [patterns] if isinstance(patterns, str) else list(patterns)
    floating = {
        name: array
        for name, array in arrays.items()
        if np.issubdtype(array.dtype, np.floating) and array.size
    }
    for pattern in patterns:
        if not any(fits(name, pattern) for name in floating):
            raise ValueError(unknown(f"name among the {of}", pattern, [*floating, *map(short, floating)]))
    return {
        short(name): array
        for name, array in floating.items()
        if any(fits(name, pattern) for pattern in patterns)
    }


def fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(short(name), pattern)


def histograms(arrays: Mapping[str, Array], of: Numbers, bins: int = BINS) -> Histograms:
    """All on the same bins, which reach as far as any of the arrays needs."""
    if bins < 2:
        raise ValueError(f"bins={bins}: choose 2 or more")
    logarithms = {name: log_sizes(array) for name, array in arrays.items()}
    ends = np.array(
        [np.quantile(one, (LOWEST_SHARE, 1 - LOWEST_SHARE)) for one in logarithms.values() if one.size]
    ).reshape(-1, 2)
    low, high = (float(ends[:, 0].min()), float(ends[:, 1].max())) if len(ends) else (-1.0, 1.0)
    edges = np.linspace(low, max(high, low + 1e-3), bins + 1)
    counts = np.array(
        [np.histogram(np.clip(one, edges[0], edges[-1]), edges)[0] for one in logarithms.values()]
    )
    sizes = np.array([array.size for array in arrays.values()])
    return Histograms(
        of,
        tuple(arrays),
        edges,
        counts / sizes[:, None],
        np.array([(array == 0).mean() for array in arrays.values()]),
        np.array([(array < 0).mean() for array in arrays.values()]),
    )


def log_sizes(array: Array) -> Array:
    """log₁₀ |x| of all that is neither 0 nor infinite nor nan"""
    sizes = np.abs(array.reshape(-1)).astype(np.float64)
    found: Array = np.log10(sizes[np.isfinite(sizes) & (sizes > 0)])
    return found
