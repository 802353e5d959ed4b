"""What diagrams are drawn with: boxes, arrows and words on a sheet that is measured in inches."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from mini_bert.plots.style import INK

ROUNDING, PALE = 0.05, 0.8


class Box(NamedTuple):
    """A place on the sheet, by its lower left corner."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.bottom + self.height

    @property
    def x(self) -> float:
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        return self.bottom + self.height / 2


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure whose single plot is the paper itself: (0, 0) is the lower left corner, one unit an inch."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


def pale(color: str, share: float = PALE) -> tuple[float, float, float]:
    """A colour with so much white in it that ink on it is easily read."""
    red, green, blue = (part + (1 - part) * share for part in to_rgb(color))
    return red, green, blue


def draw_box(axes: Axes, box: Box, words: str, color: str, **style: Any) -> None:
    """A box with rounded corners and its words in the middle."""
    axes.add_patch(
        FancyBboxPatch(
            (box.left + ROUNDING, box.bottom + ROUNDING),
            box.width - 2 * ROUNDING,
            box.height - 2 * ROUNDING,
            boxstyle=f"round,pad={ROUNDING},rounding_size={ROUNDING}",
            facecolor=pale(color),
            edgecolor=color,
            linewidth=1.0,
        )
    )
    write(axes, box.x, box.y, words, **style)


def write(axes: Axes, x: float, y: float, words: str, **style: Any) -> None:
    """Words around a point; `ha` and `va` say otherwise."""
    plain: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "color": INK, "linespacing": 1.3}
    axes.text(x, y, words, **plain | style)


def draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **style: Any) -> None:
    """A straight arrow from point to point."""
    plain: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 8, "color": INK, "linewidth": 1.0}
    axes.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **plain | style))
