"""Scores side by side: what a model reached, and what it must beat."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mini_bert.plots.style import GUIDE, INK, PALETTE, ROW_OF_LEGEND, Margins, brief, empty, styled

if TYPE_CHECKING:
    from mini_bert.evaluation.section import Kind

COLORS: dict[Kind, str] = {
    "model": PALETTE[0],
    "baseline": GUIDE,
    "control": PALETTE[4],
    "reference": PALETTE[5],
}
WIDTH, ROW_HEIGHT, BAR_HEIGHT = 5.6, 0.235, 0.68
LETTER_WIDTH, MOST_LETTERS = 0.068, 38
"""Inches that a letter of a name takes, about; longer names are cut."""
ROOM_FOR_NUMBERS = 0.55


class Bar(NamedTuple):
    """A score in the unit of the plot, with the ends of its interval where one is known."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    kind: Kind = "model"


@styled
def bars(entries: Sequence[Bar], unit: str, chance: float | None = None) -> Figure:
    """A bar for each entry, the first on top, its number at the end; a dashed line at `chance`.

    Values, and `chance`, are in the unit that is named: a share under "accuracy (%)" is given as 100 times itself.
    """
    kinds = [kind for kind in COLORS if any(entry.kind == kind for entry in entries)]
    has_legend = len(kinds) > 1 or chance is not None
    longest = min(MOST_LETTERS, max(len(entry.name) for entry in entries))
    margins = Margins(
        left=0.16 + LETTER_WIDTH * longest,
        right=ROOM_FOR_NUMBERS,
        top=0.15 + ROW_OF_LEGEND * has_legend,
    )
    height = margins.top + margins.bottom + ROW_HEIGHT * (len(entries) + 0.4)
    figure, axes = empty("", margins, WIDTH, height, x_label=unit)
    for place, entry in enumerate(entries):
        draw(axes, place, entry)
    axes.set_ylim(len(entries) - 0.3, -0.7)
    axes.set_yticks(range(len(entries)), [short(entry.name) for entry in entries])
    axes.tick_params("y", length=0)
    axes.grid(False, axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    name_kinds(axes, kinds, chance, has_legend)
    return figure


def draw(axes: Axes, place: int, entry: Bar) -> None:
    """One bar with its whiskers; a value that is not finite is told, and has no bar."""
    if not isfinite(entry.value):
        axes.annotate("not finite", (0, place), (4, 0), textcoords="offset points", va="center", fontsize=7)
        return
    axes.barh(place, entry.value, BAR_HEIGHT, color=COLORS[entry.kind], linewidth=0)
    end = entry.value
    if entry.low is not None and entry.high is not None:
        axes.plot([entry.low, entry.high], [place, place], color=INK, linewidth=1.1)
        for edge in (entry.low, entry.high):
            axes.plot([edge, edge], [place - 0.16, place + 0.16], color=INK, linewidth=1.1)
        end = max(entry.value, entry.high)
    axes.annotate(
        f"{entry.value:,.3g}" if abs(entry.value) < 100 else f"{entry.value:,.0f}",
        (max(end, 0.0), place),
        (4, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
    )


def name_kinds(axes: Axes, kinds: Sequence[Kind], chance: float | None, has_legend: bool) -> None:
    handles: list[Patch] = [Patch(color=COLORS[kind], label=kind) for kind in kinds]
    line = [] if chance is None else [axes.axvline(chance, color=INK, linestyle="dashed", linewidth=1.0)]
    for one in line:
        one.set_label(f"chance: {brief(round(chance or 0.0, 2))}")
    if has_legend:
        axes.legend(
            handles=[*handles, *line],
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=4,
            borderpad=0.2,
            columnspacing=1.2,
            handlelength=1.2,
        )


def short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
