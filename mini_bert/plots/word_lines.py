"""Who looks at whom: the pieces of a text twice, lines between them, the stronger the more is looked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.style import INK, PALETTE, Margins, empty, styled

ROW_HEIGHT, LETTER_WIDTH, BETWEEN = 0.23, 0.08, 2.0
MOST_LETTERS, THICKEST = 18, 3.0


@styled
def word_lines(pieces: Sequence[str], weights: Array, title: str = "", least: float = 0.05) -> Figure:
    """`weights` (T, T): from piece i on the left to piece j on the right; those under `least` are left out."""
    names = [piece if len(piece) <= MOST_LETTERS else piece[: MOST_LETTERS - 1] + "…" for piece in pieces]
    room = 0.14 + LETTER_WIDTH * max(map(len, names))
    margins = Margins(left=room, right=room, bottom=0.06, top=0.46 if title else 0.28)
    height = ROW_HEIGHT * len(pieces) + margins.bottom + margins.top
    width = BETWEEN + 2 * room
    figure, axes = empty("", margins, width, height, x_label="")
    axes.axis("off")
    axes.set_xlim(0, 1)
    axes.set_ylim(len(pieces) - 0.5, -0.5)
    for place, name in enumerate(names):
        axes.text(-0.03, place, name, ha="right", va="center", fontsize=9)
        axes.text(1.03, place, name, ha="left", va="center", fontsize=9)
    rows, columns = np.nonzero(weights >= least)
    found = weights[rows, columns]
    axes.add_collection(
        LineCollection(
            [[(0, i), (1, j)] for i, j in zip(rows.tolist(), columns.tolist(), strict=True)],
            colors=[to_rgba(PALETTE[0], 0.15 + 0.85 * min(1.0, float(weight))) for weight in found],
            linewidths=THICKEST * np.sqrt(found),
            capstyle="round",
        )
    )
    for x, told, side in ((-0.03, "looks", "right"), (1.03, "at", "left")):
        axes.text(x, -0.95, told, ha=side, va="center", fontsize=8, color=INK, style="italic")
    if title:
        axes.text(0.5, -1.45, title, ha="center", va="center", fontsize=9)
    return figure
