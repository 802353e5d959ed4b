"""From one number to another, step by step: what each part adds or takes away."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mini_bert.plots.style import GUIDE, INK, PALETTE, ROW_OF_LEGEND, Margins, empty, styled

LOWERS, RAISES = PALETTE[2], PALETTE[1]
WIDTH, ROW_HEIGHT, BAR_HEIGHT, LETTER_WIDTH = 5.6, 0.25, 0.66, 0.068


@styled
def waterfall(first: str, start: float, changes: Mapping[str, float], last: str, unit: str) -> Figure:
    """A bar at `start`, one for each change beginning where the one before ended, and one at the sum."""
    names = [first, *changes, last]
    margins = Margins(left=0.16 + LETTER_WIDTH * max(map(len, names)), right=0.55, top=0.15 + ROW_OF_LEGEND)
    figure, axes = empty(
        "", margins, WIDTH, margins.top + margins.bottom + ROW_HEIGHT * (len(names) + 0.4), x_label=unit
    )
    axes.barh(0, start, BAR_HEIGHT, color=GUIDE, linewidth=0)
    write(axes, start, 0, f"{start:.2f}")
    level = start
    for row, change in enumerate(changes.values(), 1):
        axes.barh(row, change, BAR_HEIGHT, left=level, color=LOWERS if change < 0 else RAISES, linewidth=0)
        axes.plot([level, level], [row - 1.33, row + 0.33], color=INK, linewidth=0.7)
        level += change
        write(axes, max(level, level - change), row, f"{change:+.2f}")
    axes.plot([level, level], [len(names) - 2.33, len(names) - 0.67], color=INK, linewidth=0.7)
    axes.barh(len(names) - 1, level, BAR_HEIGHT, color=PALETTE[0], linewidth=0)
    write(axes, level, len(names) - 1, f"{level:.2f}")
    axes.set_ylim(len(names) - 0.3, -0.7)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params("y", length=0)
    axes.grid(False, axis="y")
    axes.legend(
        handles=[Patch(color=LOWERS, label="lowers it"), Patch(color=RAISES, label="raises it")],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2,
        borderpad=0.2,
        handlelength=1.2,
    )
    return figure


def write(axes: Axes, x: float, row: int, text: str) -> None:
    axes.annotate(text, (x, row), (4, 0), textcoords="offset points", va="center", fontsize=7.5)
