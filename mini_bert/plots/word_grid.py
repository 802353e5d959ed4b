"""A table of words on colours: what is said in each cell, and how strongly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from mini_bert.core.array import Array
from mini_bert.plots.heat import DARK, LIGHT, short
from mini_bert.plots.style import INK, Margins, brief, empty, styled

LETTER_WIDTH, LETTERS_OF_A_CELL, ROW_HEIGHT, NARROWEST = 0.066, 13, 0.3, 0.5
BESIDE = 0.85


@styled
def word_grid(
    words: Sequence[Sequence[str]],
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    unit: str,
    row_label: str = "",
    column_label: str = "",
    highest: float | None = None,
) -> Figure:
    """`words` and `values` (rows, columns), the first row on top; colours go from 0 to `highest`."""
    cut = [[in_a_cell(word) for word in row] for row in words]
    row_names, column_names = [short(name) for name in rows], [short(name) for name in columns]
    lines = 1 + max(word.count("\n") for row in cut for word in row)
    longest = max(len(line) for row in [*cut, column_names] for word in row for line in word.split("\n"))
    cell = max(NARROWEST, 0.14 + LETTER_WIDTH * longest)
    margins = Margins(
        left=0.16 + LETTER_WIDTH * max(map(len, row_names)) + (0.22 if row_label else 0.0),
        right=BESIDE,
        bottom=0.26 + (0.22 if column_label else 0.0),
    )
    across, up = max(1.6, cell * len(columns)), max(1.0, (ROW_HEIGHT + 0.13 * (lines - 1)) * len(rows))
    width, height = across + margins.left + margins.right, up + margins.bottom + margins.top
    figure, axes = empty(row_label, margins, width, height, x_label=column_label)
    image = axes.imshow(values, aspect="auto", interpolation="none", cmap="viridis", vmin=0, vmax=highest)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=2)
    axes.set_yticks(range(len(rows)), row_names)
    axes.set_xticks(range(len(columns)), column_names)
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = image.to_rgba(np.nan_to_num(value))
        is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        color = INK if not np.isfinite(value) else DARK if is_light else LIGHT
        axes.text(column, row, cut[row][column], ha="center", va="center", fontsize=7.5, color=color)
    beside = axes.inset_axes((1 + 0.12 / across, 0, 0.13 / across, 1))
    bar = figure.colorbar(image, cax=beside, format=FuncFormatter(lambda y, _: brief(y)))
    bar.set_label(unit, color=INK)
    bar.outline.set_visible(False)
    return figure


def in_a_cell(word: str) -> str:
    """Each line of it cut to what a cell holds."""
    lines = word.split("\n")
    most = LETTERS_OF_A_CELL
    return "\n".join(line if len(line) <= most else line[: most - 1] + "…" for line in lines)
