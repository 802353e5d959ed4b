"""What norms do, one after the other: how wide their input and output spread, and how they scale gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.style import PALETTE, empty, legend_above, logarithmic, styled, with_legend_above

WIDTH, LETTER_WIDTH = 5.8, 0.068


@styled
def norms(names: Sequence[str], spreads: Mapping[str, Array], gradient_ratio: Array) -> Figure:
    """A point for each norm of the model: the standard deviations by name, and ‖dx‖/‖dy‖ dashed."""
    below = 0.2 + LETTER_WIDTH * max(map(len, names))
    margins = with_legend_above(len(spreads) + 1, 3)._replace(bottom=below)
    figure, axes = empty("ratio, or standard deviation", margins, WIDTH, 2.6 + below, x_label="")
    places = np.arange(len(names))
    for number, (name, values) in enumerate(spreads.items()):
        axes.plot(places, values, color=PALETTE[number], marker="o", markersize=4, label=name)
    axes.plot(
        places,
        gradient_ratio,
        color=PALETTE[2],
        linestyle="dashed",
        marker="s",
        markersize=4,
        label="gradients, × of their size",
    )
    logarithmic(axes, np.concatenate([*spreads.values(), gradient_ratio]))
    axes.set_xticks(places, list(names), rotation=90)
    legend_above(axes, 3)
    return figure
