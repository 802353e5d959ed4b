"""Functions of one number, drawn over a range of it."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mini_bert.core.array import Array
from mini_bert.plots.style import DASHES, PALETTE, brief, empty, legend_above, styled, with_legend_above


@styled
def over_numbers(x: Array, functions: Mapping[str, Array], unit: str, x_label: str) -> Figure:
    """A curve for each name: its colour and its dashes are its own, so that none is told by colour alone."""
    columns = min(len(functions), 4)
    margins = with_legend_above(len(functions), columns)
    figure, axes = empty(unit, margins, 5.6, 2.6 + margins.top, x_label=x_label)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: brief(number)))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
    for number, (name, values) in enumerate(functions.items()):
        axes.plot(
            x,
            values,
            color=PALETTE[number % len(PALETTE)],
            linestyle=DASHES[number % len(DASHES)],
            label=name,
        )
    legend_above(axes, columns)
    return figure
