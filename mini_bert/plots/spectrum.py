"""Singular values in their order, beside those that chance would give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.style import (
    DASHES,
    GUIDE,
    PALETTE,
    empty,
    legend_above,
    logarithmic,
    styled,
    with_legend_above,
)

SMALLEST = 1e-6
"""Of the largest: what is smaller is nearly nothing, and would take all the room of a logarithmic axis."""


@styled
def spectrum(values: Mapping[str, Array], edge: float) -> Figure:
    """A curve for each name, the first in bold; a dashed line at the `edge` of what is random."""
    margins = with_legend_above(len(values) + 1, 3)
    figure, axes = empty("singular value", margins, 5.6, 2.7 + margins.top, x_label="number of the value")
    largest = max(float(one.max()) for one in values.values())
    drawn = []
    for number, (name, one) in enumerate(values.items()):
        kept = one[one > SMALLEST * largest]
        drawn.append(kept)
        axes.plot(
            np.arange(1, len(kept) + 1),
            kept,
            color=PALETTE[number % len(PALETTE)],
            linestyle=DASHES[number % len(DASHES)],
            label=name,
        )
    axes.axhline(edge, color=GUIDE, linestyle="dashdot", linewidth=1.1, label="edge of random values")
    logarithmic(axes, np.concatenate(drawn))
    legend_above(axes, 3)
    return figure
