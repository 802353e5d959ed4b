"""Intervals for figures that are no means, such as a number of dimensions.

    θ̂ ± t √((G − 1)/G Σ_g (θ̂_g − θ̄)²),     θ̂_g the figure without the texts of group g

The jackknife with groups left out (Quenouille 1949, Tukey 1958): texts stay whole, for their tokens hang together, and
a figure that depends on how many tokens there are sees nearly as many. t is Student's, for G − 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.run_reports.student import CONFIDENCE, t_quantile


def jackknife(figures: Callable[[Array], Array], text: Array, groups: int) -> list[Estimate]:
    """`figures(kept)` gives K figures of the tokens that are kept (N,); text (N,) is the text of each token.

    With fewer than two groups, or two texts, there are no intervals.
    """
    whole = figures(np.ones(len(text), bool))
    _, place = np.unique(text, return_inverse=True)
    G = min(groups, int(place.max()) + 1)
    if G < 2:
        return [Estimate(float(value)) for value in whole]
    without = np.array([figures(place % G != group) for group in range(G)])  # (G, K)
    spread = np.sqrt((G - 1) / G * ((without - without.mean(0)) ** 2).sum(0))
    half = t_quantile(CONFIDENCE, G - 1) * spread
    return [
        Estimate(float(value), float(value - width), float(value + width))
        if np.isfinite(width)
        else Estimate(float(value))
        for value, width in zip(whole, half, strict=True)
    ]
