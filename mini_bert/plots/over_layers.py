"""What each layer of a model knows, from the embeddings up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mini_bert.core.array import Array
from mini_bert.plots.style import DASHES, GUIDE, PALETTE, empty, legend_above, styled, with_legend_above

WIDTH, LETTERS_IN_A_ROW, LETTERS_OF_A_HANDLE = 5.6, 78, 7


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
    margins = with_legend_above(len(names), columns)
    figure, axes = empty(unit, margins, WIDTH, 2.5 + margins.top, x_label="layer (0: embeddings)")
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
        axes.axhline(level, color=GUIDE, linestyle=DASHES[1 + number % 3], linewidth=1.2, label=name)
    legend_above(axes, columns)
    return figure
