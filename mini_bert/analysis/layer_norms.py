"""What the norms of a pass do: to the numbers that go through them, and to the gradients that come back.

norms = layer_norm_statistics(read(model, "the cat sat on the mat"))
norms["norm1_0"].std_before       # (T,) of each token
norms["norm1_0"].loudest          # the channels with the most of the square sum, before
norms["norm1_0"].gradient_ratio   # (T,) ‖dx‖ / ‖dy‖: how much of a gradient comes back through
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mini_bert.analysis.graph.normed import Normed
from mini_bert.analysis.graph.operation import Numbers
from mini_bert.analysis.reading import Reading
from mini_bert.analysis.shown import Shown
from mini_bert.analysis.sums import called
from mini_bert.core.array import Array
from mini_bert.errors import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOUDEST = 5


class Channel(NamedTuple):
    """One of the H numbers of every token, and its amount."""

    channel: int
    value: float


@dataclass(frozen=True)
class NormStatistics:
    """y = γ x̂ + β,  x̂ = (x − μ)/σ: means and deviations of each token (T,) in x, in x̂ and in y.

    `loudest` are the channels with the largest shares of Σ (x − μ)² over all tokens, `largest_gains` those with the
    largest |γ|. `scale` (T,) is 1/σ, or 1/r of an RMS norm. `gradient_ratio` (T,) is ‖dx‖/‖dy‖, and `without_gain` that
    for γ = 1, both of gradients in all directions alike (the root mean square over them), so no target is needed:

        dx/dy = (I − 1 1ᵀ/H − x̂ x̂ᵀ/H) diag(γ) / σ

    so a norm divides gradients by the spread of what it reads, and takes out the two directions it makes constant.
    """

    name: str
    dotted: str
    kind: str
    mean_before: Array
    std_before: Array
    mean_normalized: Array
    std_normalized: Array
    mean_after: Array
    std_after: Array
    scale: Array
    gains: Array
    shifts: Array | None
    share_of_square: Array
    gradient_ratio: Array
    without_gain: Array

    @property
    def loudest(self) -> list[Channel]:
        return largest(self.share_of_square)

    @property
    def largest_gains(self) -> list[Channel]:
        return largest(self.gains)


@dataclass(frozen=True)
class LayerNorms(Shown):
    """The norms of a pass, in its order; `pieces` are the tokens."""

    pieces: tuple[str, ...]
    norms: tuple[NormStatistics, ...]

    def __getitem__(self, name: str) -> NormStatistics:
        for norm in self.norms:
            if name in (norm.name, norm.dotted):
                return norm
        raise KeyError(unknown("norm", name, [norm.name for norm in self.norms]))

    def __iter__(self) -> Iterator[NormStatistics]:
        return iter(self.norms)

    def __len__(self) -> int:
        return len(self.norms)

    def figure(self) -> Figure:
        """From norm to norm, the mean over tokens; of a single norm, from token to token."""
        from mini_bert.plots.norms import norms

        if len(self.norms) == 1:
            (only,) = self.norms
            spreads = {"before": only.std_before, "after gain and shift": only.std_after}
            return norms(self.pieces, spreads, only.gradient_ratio)
        means = np.array(
            [
                [one.mean() for one in (norm.std_before, norm.std_after, norm.gradient_ratio)]
                for norm in self.norms
            ]
        ).T
        return norms(
            [norm.name for norm in self.norms],
            {"before": means[0], "after gain and shift": means[1]},
            means[2],
        )


def layer_norm_statistics(reading: Reading) -> LayerNorms:
    """Of every norm that the pass of a text went through."""
    graph = reading.graph
    found = [statistics_of(one, graph.numbers) for one in graph.order if isinstance(one, Normed)]
    if not found:
        raise ValueError("this model has no norms; there is nothing to tell")
    return LayerNorms(reading.pieces, tuple(found))


def statistics_of(norm: Normed, numbers: Numbers) -> NormStatistics:
    x, y, x_hat = (as_rows(numbers[name]) for name in (norm.source, norm.output, f"{norm.path}x_hat"))
    gains = np.asarray(numbers[norm.gain], np.float64)
    shifts = None if norm.shift is None else np.asarray(numbers[norm.shift], np.float64)
    return of_arrays(called(norm.output), norm.output, x, y, x_hat, gains, shifts, norm.eps, rms=norm.rms)


def of_arrays(
    name: str,
    dotted: str,
    x: Array,
    y: Array,
    x_hat: Array,
    gains: Array,
    shifts: Array | None,
    eps: float,
    *,
    rms: bool,
) -> NormStatistics:
    """Of rows (N, H) before, after, and between."""
    level = 0.0 if rms else x.mean(-1, keepdims=True)
    scale = 1 / np.sqrt(((x - level) ** 2).mean(-1) + eps)
    squares = ((x - level) ** 2).sum(0)
    return NormStatistics(
        name=name,
        dotted=dotted,
        kind="rms" if rms else "layer",
        mean_before=x.mean(-1),
        std_before=x.std(-1),
        mean_normalized=x_hat.mean(-1),
        std_normalized=x_hat.std(-1),
        mean_after=y.mean(-1),
        std_after=y.std(-1),
        scale=scale,
        gains=gains,
        shifts=shifts,
        share_of_square=squares / max(float(squares.sum()), np.finfo(np.float64).tiny),
        gradient_ratio=gradient_ratio(x_hat, scale, gains, rms=rms),
        without_gain=gradient_ratio(x_hat, scale, np.ones_like(gains), rms=rms),
    )


def gradient_ratio(x_hat: Array, scale: Array, gains: Array, *, rms: bool) -> Array:
    """√(‖J‖² / H),  J = dx/dy: ‖dx‖/‖dy‖ in the root mean square over all directions of dy          (N, H) → (N,)

    Column k of J is γ_k/σ times e_k without its parts along 1 and x̂, whose squared length is 1 − 1/H − x̂_k²/H as both
    directions are at right angles: x̂ has mean 0. With ε, ‖x̂‖² is a little less than H, which the product below minds.
    """
    H = x_hat.shape[-1]
    lost = x_hat**2 / H * (2 - (x_hat**2).mean(-1, keepdims=True)) + (0.0 if rms else 1 / H)
    found: Array = scale * np.sqrt((gains**2 * (1 - lost)).mean(-1))
    return found


def largest(values: Array) -> list[Channel]:
    order = np.argsort(-np.abs(values), kind="stable")[:LOUDEST]
    return [Channel(int(one), float(values[one])) for one in order]


def as_rows(x: Array) -> Array:
    rows: Array = np.asarray(x, np.float64).reshape(-1, x.shape[-1])
    return rows
