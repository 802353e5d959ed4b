"""Histograms one above the other, all over the same axis."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mini_bert.core.array import Array
from mini_bert.plots.style import GRID, INK, Margins, brief, empty, shades, styled

WIDTH, ROW_HEIGHT, OVERLAP = 5.6, 0.26, 1.7
LETTER_WIDTH, NOTE_WIDTH, MOST_ROWS = 0.068, 0.85, 30


@styled
def ridges(edges: Array, shares: Array, names: Sequence[str], notes: Sequence[str], unit: str) -> Figure:
    """`shares` (names, bins) between `edges`, the first on top; every second, third, ... name where they are many."""
    every = -(-len(names) // MOST_ROWS)
    shares, names, notes = shares[::every], names[::every], notes[::every]
    margins = Margins(
        left=0.16 + LETTER_WIDTH * max(map(len, names)),
        right=NOTE_WIDTH if any(notes) else 0.15,
        top=0.1 + ROW_HEIGHT * (OVERLAP - 1),
    )
    height = margins.top + margins.bottom + ROW_HEIGHT * max(len(names), 3)
    figure, axes = empty("", margins, WIDTH, height, x_label=unit)
    highest = float(shares.max()) or 1.0
    for row, (share, color) in enumerate(zip(shares, shades(len(names)), strict=True)):
        base = len(names) - 1 - row
        axes.axhline(base, color=GRID, linewidth=0.6, zorder=2 * row)
        axes.stairs(
            base + OVERLAP * share / highest,
            edges,
            baseline=base,
            fill=True,
            facecolor=(color, 0.75),
            edgecolor=INK,
            linewidth=0.4,
            zorder=2 * row + 1,
        )
        axes.annotate(
            notes[row],
            (1, base),
            (4, 1),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            fontsize=7,
        )
    axes.set_yticks(range(len(names)), list(names[::-1]))
    axes.set_ylim(-0.1, len(names) - 1 + OVERLAP + 0.05)
    axes.set_xlim(edges[0], edges[-1])
    axes.tick_params("y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    return figure
