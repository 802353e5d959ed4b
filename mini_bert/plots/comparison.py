"""Curves of several runs in one plot; of runs that differ only in their seed, the mean and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.curves import draw
from mini_bert.plots.series import Series, thinned
from mini_bert.plots.style import DASHES, PALETTE, empty, legend_above, styled, with_legend_above

LETTERS_IN_A_ROW, LETTERS_OF_A_HANDLE = 92, 7


@dataclass(frozen=True)
class Contender:
    """A curve with its name; `half_width` at each of its steps makes a band around it."""

    name: str
    series: Series
    half_width: Array | None = None


@styled
def comparison(contenders: Sequence[Contender], unit: str) -> Figure:
    """The curves, and their names above."""
    longest = max(len(one.name) for one in contenders)
    columns = max(1, LETTERS_IN_A_ROW // (longest + LETTERS_OF_A_HANDLE))
    margins = with_legend_above(len(contenders), columns)
    figure, axes = empty(unit, margins, width=7.0, height=4.0 + margins.top)
    for number, one in enumerate(contenders):
        color = PALETTE[number % len(PALETTE)]
        dashes = DASHES[number // len(PALETTE) % len(DASHES)]
        if one.half_width is not None:
            middle, half = thinned(one.series), thinned(Series(one.series.steps, one.half_width)).values
            axes.fill_between(
                middle.steps, middle.values - half, middle.values + half, color=color, alpha=0.2, linewidth=0
            )
        draw(axes, one.series, one.name, color, dashes)
    legend_above(axes, columns)
    return figure
