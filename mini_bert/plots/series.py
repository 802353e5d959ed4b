"""Numbers over the steps of a run, as plots take them."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array

MOST_POINTS = 300


class Series(NamedTuple):
    """`values` at `steps`; a value that is missing is nan, and leaves a gap in the curve."""

    steps: Array
    values: Array

    @property
    def is_empty(self) -> bool:
        return not np.isfinite(self.values).any()

    def scaled(self, factor: float) -> Series:
        return Series(self.steps, self.values * factor)


def thinned(series: Series, most: int = MOST_POINTS) -> Series:
    """At most so many points: the means of neighbours. A curve of a long run stays small enough for a page."""
    count = len(series.steps)
    if count <= most:
        return series
    edges = np.linspace(0, count, most + 1).astype(int)
    return Series(
        np.array([series.steps[a:b].mean() for a, b in pairwise(edges)]),
        np.array([mean_of_finite(series.values[a:b]) for a, b in pairwise(edges)]),
    )


def mean_of_finite(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else np.nan
