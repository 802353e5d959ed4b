"""What each layer of a model knows, from the embeddings up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mini_bert.core.array import Array
from mini_bert.plots.style import (
    DASHES,
    GUIDE,
    PALETTE,
    across_and_up,
    empty,
    legend_above,
    styled,
    with_legend_above,
)

WIDTH, LETTERS_IN_A_ROW, LETTERS_OF_A_HANDLE = 5.6, 78, 7

LETTERS_UP, LINE_HEIGHT = 28, 0.15
"""Letters of the unit that fit beside the plot in one line, and the inches that another line takes."""
LEVEL_DASHES: tuple[Any, ...] = ("dashed", "dotted", "dashdot", (0, (9, 2)), (0, (4, 1, 1, 1, 1, 1)))


class LayerCurve(NamedTuple):
    """A value at layers 0, 1, ..., L, with the ends of its interval at each where they are known."""

    name: str
    values: Array
    low: Array | None = None
    high: Array | None = None


@styled
def over_layers(curves: Sequence[LayerCurve], unit: str, levels: Mapping[str, float] | None = None) -> Figure:
    """A curve for each name, a band where its interval is known, and a dashed line for each level.

    Values are in the unit that is named: a share under "accuracy (%)" is given as 100 times itself.
    """
    levels = levels or {}
    names = [*(curve.name for curve in curves), *levels]
    columns = max(1, LETTERS_IN_A_ROW // (max(map(len, names)) + LETTERS_OF_A_HANDLE))
    lines = wrap(unit, LETTERS_UP)
    more = LINE_HEIGHT * (len(lines) - 1)
    margins = with_legend_above(len(names), columns)
    margins = margins._replace(left=margins.left + more)
    figure, axes = empty("\n".join(lines), margins, WIDTH, 2.5 + margins.top, "layer (0: embeddings)")
    axes.yaxis.set_label_coords((0.18 + more) / WIDTH, 0.5, transform=across_and_up(axes))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=13, integer=True, min_n_ticks=1))
    for number, curve in enumerate(curves):
        color, layers = PALETTE[number % len(PALETTE)], np.arange(len(curve.values))
        dashes = DASHES[number // len(PALETTE) % len(DASHES)]
        if curve.low is not None and curve.high is not None:
            axes.fill_between(layers, curve.low, curve.high, color=color, alpha=0.2, linewidth=0)
        axes.plot(
            layers, curve.values, color=color, linestyle=dashes, marker="o", markersize=4, label=curve.name
        )
    for number, (name, level) in enumerate(levels.items()):
        axes.axhline(
            level, color=GUIDE, linestyle=LEVEL_DASHES[number % len(LEVEL_DASHES)], linewidth=1.2, label=name
        )
    legend_above(axes, columns)
    return figure
