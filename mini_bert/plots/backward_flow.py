"""The size of the gradient on its way from the loss, on the left, back to the embeddings, on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from mini_bert.plots.style import (
    GRID,
    INK,
    PALETTE,
    empty,
    legend_above,
    logarithmic,
    styled,
    with_legend_above,
)

WIDTH, MOST_LABELS, MOST_UPRIGHT = 6.4, 14, 8


class FlowPoint(NamedTuple):
    """An activation in the order of the backward pass; those with a label are joined by a line."""

    kind: str
    value: float
    label: str = ""


@styled
def backward_flow(points: Sequence[FlowPoint], unit: str, kinds: Sequence[str]) -> Figure:
    """A point for each activation, in the colour of its kind; a value of 0 has none on this scale."""
    joined = [place for place, point in enumerate(points) if point.label]
    is_turned = len(joined) > MOST_UPRIGHT
    margins = with_legend_above(len(kinds), 3)
    figure, axes = empty(
        unit,
        margins._replace(bottom=0.62 if is_turned else 0.46),
        WIDTH,
        3.0 + margins.top,
        x_label="backward: from the loss to the embeddings →",
    )
    values = np.array([point.value for point in points])
    for place in joined:
        axes.axvline(place, color=GRID, linewidth=1.0)
    axes.plot(joined, values[joined], color=INK, linewidth=1.2, zorder=2)
    for kind, color in zip(kinds, PALETTE, strict=False):
        own = [place for place, point in enumerate(points) if point.kind == kind and point.value > 0]
        if own:
            axes.plot(
                own,
                values[own],
                "s" if kind == "residual stream" else "o",
                color=color,
                markersize=5 if kind == "residual stream" else 4,
                label=kind,
                zorder=3,
            )
    logarithmic(axes, values)
    axes.grid(False, axis="x")
    every = -(-len(joined) // MOST_LABELS)
    shown = joined[::-1][::every][::-1]
    axes.set_xticks(shown, [points[place].label for place in shown], rotation=20 if is_turned else 0)
    axes.set_xlim(-0.8, len(points) - 0.2)
    legend_above(axes, 3)
    return figure
