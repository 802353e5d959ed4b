"""Curves over the steps of a run, with the lines to compare them with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mini_bert.plots.series import Series, thinned
from mini_bert.plots.style import (
    DASHES,
    GUIDE,
    PALETTE,
    PLAIN,
    empty,
    legend_above,
    logarithmic,
    styled,
    with_legend_above,
)

MOST_LETTERS = 46
"""Of the names in one row of the legend."""
FEW = 30
"""A curve of so few points shows each of them."""


@styled
def curves(
    series: Mapping[str, Series],
    unit: str,
    guides: Mapping[str, float] | None = None,
    *,
    is_logarithmic: bool = False,
) -> Figure:
    """One curve for each name, and a level line for each guide."""
    names = [*series, *(guides or {})]
    entries, letters = len(names), sum(map(len, names))
    columns = 4 if entries <= 4 and letters <= MOST_LETTERS else 3
    figure, axes = empty(unit, with_legend_above(entries, columns) if entries > 1 else PLAIN)
    for number, (name, one) in enumerate(series.items()):
        draw(axes, one, name, PALETTE[number % len(PALETTE)])
    for number, (name, level) in enumerate((guides or {}).items()):
        axes.axhline(level, color=GUIDE, linestyle=DASHES[1 + number % 3], linewidth=1.1, label=name)
    drawn = np.concatenate(
        [*(one.values for one in series.values()), np.array(list((guides or {}).values()))]
    )
    if is_logarithmic:
        logarithmic(axes, drawn)
    if entries > 1:
        legend_above(axes, columns)
    return figure


def draw(axes: Axes, series: Series, name: str, color: str, linestyle: str = "solid") -> None:
    points = thinned(series)
    few = np.isfinite(points.values).sum() <= FEW
    axes.plot(
        points.steps,
        points.values,
        color=color,
        linestyle=linestyle,
        label=name,
        marker="o" if few else None,
        markersize=3,
    )
