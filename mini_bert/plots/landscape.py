"""The loss along a line, and over a plane with its contours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mini_bert.core.array import Array
from mini_bert.plots.style import INK, PALETTE, PAPER, Margins, brief, empty, styled

LEVELS, CAPTIONED = 14, 6
MARK, ON_COLOURS = PALETTE[1], "#101418"
"""On a map the ink stays dark on a dark page too, for the map does not change its colours."""

HALO = withStroke(linewidth=2, foreground="#ffffffc0")


@styled
def line(x: Array, losses: Array, label: str, names: Sequence[tuple[float, str]] = ()) -> Figure:
    """The loss at each distance, with some places named."""
    figure, axes = empty("loss (nats)", width=5.2, height=3.0, x_label=label)
    plain_across(axes)
    axes.plot(x, losses, color=PALETTE[0], marker="o", markersize=2.5)
    for place, name in names:
        level = float(np.interp(place, x, losses))
        axes.plot([place], [level], "o", color=MARK, markersize=6, zorder=3)
        axes.annotate(name, (place, level), (6, 6), textcoords="offset points", fontsize=8)
    return figure


@styled
def surface(
    x: Array,
    y: Array,
    losses: Array,
    labels: tuple[str, str],
    path: Array | None = None,
    steps: Array | None = None,
) -> Figure:
    """Colours and contours of losses (len(y), len(x)); the path (k, 2) with the steps of its first and last points.

    Levels are spread evenly over the values there are, so that the floor of a valley is as well drawn as its walls.
    """
    margins = Margins(right=0.95)
    figure, axes = empty(labels[1], margins, 5.6, 4.5, x_label=labels[0])
    plain_across(axes)
    finite = losses[np.isfinite(losses)]
    if not finite.size:
        raise ValueError("no loss of this surface is finite; choose a smaller reach")
    levels = np.unique(np.quantile(finite, np.linspace(0, 1, LEVELS + 1)))
    if len(levels) < 3:
        levels = np.linspace(float(finite.min()) - 1e-6, float(finite.max()) + 1e-6, 3)
    shown = np.ma.masked_invalid(losses)
    filled = axes.contourf(x, y, shown, levels=levels, cmap="viridis", extend="neither")
    lines = axes.contour(x, y, shown, levels=levels[1:-1], colors=ON_COLOURS, linewidths=0.5)
    every = max(1, len(levels) // CAPTIONED)
    for text in axes.clabel(
        lines, levels[1:-1][::every], fontsize=6.5, fmt=lambda level: f"{level:.3g}", colors=ON_COLOURS
    ):
        text.set_path_effects([HALO])
    axes.grid(False)
    if path is None:
        axes.plot([0], [0], "o", color=MARK, markersize=6, markeredgecolor=PAPER)
    else:
        draw_path(axes, path, steps)
    beside = axes.inset_axes((1.03, 0, 0.04, 1))
    bar = figure.colorbar(filled, cax=beside, format=FuncFormatter(lambda value, _: f"{value:.3g}"))
    bar.set_label("loss (nats)", color=INK)
    bar.outline.set_visible(False)
    return figure


def draw_path(axes: Axes, path: Array, steps: Array | None) -> None:
    axes.plot(
        path[:, 0],
        path[:, 1],
        color=MARK,
        marker="o",
        markersize=3.5,
        markeredgecolor=PAPER,
        markeredgewidth=0.5,
    )
    if steps is not None:
        for at in (0, len(path) - 1):
            axes.annotate(
                f"step {steps[at]:,}",
                tuple(path[at]),
                (5, 5),
                textcoords="offset points",
                fontsize=8,
                color=ON_COLOURS,
                path_effects=[HALO],
            )


def plain_across(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: brief(value)))
