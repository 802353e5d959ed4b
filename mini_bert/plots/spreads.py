"""How far numbers spread: a row for each group of them, from its smallest to its largest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from mini_bert.plots.style import GRID, INK, PALETTE, Margins, brief, empty, styled

WIDTH, ROW_HEIGHT, LETTER_WIDTH = 5.8, 0.2, 0.066
LINEAR_WITHIN = 1.0
"""Between −1 and 1 the axis is linear, beyond it logarithmic: scores may be a hundred times the embeddings."""


class Spread(NamedTuple):
    """The least and largest of many numbers, their mean and standard deviation; `group` names what they belong to."""

    name: str
    group: str
    mean: float
    std: float
    min: float
    max: float


@styled
def spreads(rows: Sequence[Spread], unit: str) -> Figure:
    """A thin line from the smallest to the largest number, a thick one of mean ± deviation; groups set apart."""
    margins = Margins(left=0.16 + LETTER_WIDTH * max(len(row.name) for row in rows), right=0.2)
    groups = [(name, list(members)) for name, members in groupby(rows, key=lambda row: row.group)]
    height = margins.top + margins.bottom + ROW_HEIGHT * (len(rows) + 1.6 * len(groups))
    figure, axes = empty("", margins, WIDTH, height, x_label=unit)
    axes.set_xscale("symlog", linthresh=LINEAR_WITHIN)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    place, places = 0.0, []
    for number, (name, members) in enumerate(groups):
        axes.text(0, place + 0.1, name, transform=axes.get_yaxis_transform(), fontsize=8, fontweight="bold")
        place += 1.1
        for row in members:
            color = PALETTE[number % 3]
            axes.plot([row.min, row.max], [place, place], color=color, linewidth=1.0)
            axes.plot([row.mean - row.std, row.mean + row.std], [place, place], color=color, linewidth=4.5)
            axes.plot(row.mean, place, "|", color=INK, markersize=6)
            places.append(place)
            place += 1.0
        place += 0.5
    axes.axvline(0, color=GRID, linewidth=1.0, zorder=0)
    axes.set_ylim(place - 0.4, -0.6)
    axes.set_yticks(places, [row.name for row in rows])
    axes.tick_params("y", length=0)
    axes.grid(False, axis="y")
    return figure
