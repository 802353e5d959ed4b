"""Words as points in a plane, one picture beside the other for the layers of a model."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.style import GRID, INK, PALETTE, styled

SIDE, ACROSS, HEADING = 3.1, 3, 0.28
MOST_WORDS = 60
"""More names than this hide each other: then only points are drawn."""
REACH = 1.12


@styled
def clouds(points: Array, names: Sequence[str], group: Sequence[int], titles: Sequence[str]) -> Figure:
    """`points` (pictures, N, 2), all drawn to one scale; the points of one `group`, a text, have one colour."""
    across = min(ACROSS, ceil(len(points) ** 0.5))
    down = ceil(len(points) / across)
    figure = Figure(figsize=(SIDE * across, (SIDE + HEADING) * down))
    reach = REACH * float(abs(points).max() or 1.0)
    for number, (one, title) in enumerate(zip(points, titles, strict=True)):
        row, column = divmod(number, across)
        left, width = (column + 0.03) / across, 0.94 / across
        axes = figure.add_axes((left, 1 - (row + 0.985) / down, width, 0.94 * SIDE / (SIDE + HEADING) / down))
        axes.set_title(title, fontsize=8.5, color=INK, loc="left", pad=4)
        draw(axes, one, names, group, reach)
    return figure


def draw(axes: Axes, points: Array, names: Sequence[str], group: Sequence[int], reach: float) -> None:
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.axhline(0, color=GRID, linewidth=0.6)
    axes.axvline(0, color=GRID, linewidth=0.6)
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(GRID)
    colors = [PALETTE[one % len(PALETTE)] for one in group]
    axes.scatter(points[:, 0], points[:, 1], s=9, c=colors, linewidths=0)
    if len(names) > MOST_WORDS:
        return
    for (x, y), name, color in zip(points, names, colors, strict=True):
        axes.annotate(name, (x, y), (2, 2), textcoords="offset points", fontsize=6.5, color=color)
