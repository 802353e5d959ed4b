"""Numbers over a range of learning rates, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mini_bert.core.array import Array
from mini_bert.plots.style import (
    DASHES,
    GUIDE,
    PALETTE,
    brief,
    empty,
    legend_above,
    styled,
    with_legend_above,
)

ROOM_ABOVE = 0.6
"""How far above the highest level a curve is shown, in heights of what lies below it: a burst may go anywhere."""


@styled
def over_rates(rates: Array, curves: Mapping[str, Array], unit: str, levels: Mapping[str, float]) -> Figure:
    """A curve for each name and a dashed line for each level; what is not finite is left out."""
    entries = len(curves) + len(levels)
    margins = with_legend_above(entries, entries)
    figure, axes = empty(unit, margins, 5.6, 2.9 + margins.top, x_label="learning rate")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=10))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    for number, (name, values) in enumerate(curves.items()):
        axes.plot(
            rates,
            np.where(np.isfinite(values), values, np.nan),
            color=PALETTE[number % len(PALETTE)],
            marker="o",
            markersize=3.5,
            label=name,
        )
    for number, (name, level) in enumerate(levels.items()):
        axes.axhline(level, color=GUIDE, linestyle=DASHES[1 + number % 3], linewidth=1.1, label=name)
    drawn = np.concatenate([*curves.values(), np.array(list(levels.values()))])
    low, top = float(np.nanmin(drawn)), max(levels.values(), default=float(np.nanmin(drawn)))
    height = max(top - low, 1e-3)
    highest = float(drawn[np.isfinite(drawn)].max())
    axes.set_ylim(low - 0.06 * height, min(highest + 0.06 * height, top + ROOM_ABOVE * height))
    legend_above(axes, entries)
    return figure
