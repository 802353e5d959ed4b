"""The terms of a sum as bars, to the right where they add and to the left where they take away."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mini_bert.core.array import Array
from mini_bert.plots.style import INK, PALETTE, Margins, brief, empty, styled

WIDTH, ROW_HEIGHT, BAR_HEIGHT = 6.4, 0.235, 0.68
LETTER_WIDTH, MOST_LETTERS = 0.068, 66
ADDS, TAKES = PALETTE[0], PALETTE[1]


@styled
def term_bars(names: Sequence[str], values: Array, unit: str) -> Figure:
    """A bar for each term, the first on top, its number beside its name."""
    told = [f"{short(name)}   {value:.3g}" for name, value in zip(names, values, strict=True)] or ["nothing"]
    margins = Margins(left=0.16 + LETTER_WIDTH * max(map(len, told)), right=0.2)
    height = margins.top + margins.bottom + ROW_HEIGHT * (len(told) + 0.4)
    figure, axes = empty("", margins, max(WIDTH, margins.left + 2.4), height, x_label=unit)
    colors = [ADDS if value >= 0 else TAKES for value in values]
    axes.barh(range(len(values)), values, BAR_HEIGHT, color=colors, linewidth=0)
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set_ylim(len(told) - 0.3, -0.7)
    axes.set_yticks(range(len(told)), told)
    axes.tick_params("y", length=0)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    return figure


def short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
