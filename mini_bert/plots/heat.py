"""A matrix as a map of colours, its numbers written in where there is room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import FuncFormatter

from mini_bert.core.array import Array
from mini_bert.plots.style import INK, Margins, brief, empty, styled

DARK, LIGHT = "#101418", "#fdfdfd"
"""Of numbers on a cell: the cell keeps its colour on a dark page, so they must keep theirs, unlike ink."""
MOST_NUMBERS, MOST_NAMES, MOST_LETTERS = 14, 40, 24
LETTER_WIDTH, ROW_HEIGHT = 0.068, 0.34
WIDTH, BESIDE, LOWEST, HIGHEST = 5.6, 0.85, 1.2, 5.0


@styled
def heat(
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str],
    unit: str,
    row_label: str = "",
    column_label: str = "",
) -> Figure:
    """`values` (rows, columns), the first row on top; `unit` names the scale of colours beside."""
    row_names, column_names = [short(name) for name in rows], [short(name) for name in columns]
    left = 0.16 + LETTER_WIDTH * max(map(len, row_names)) + (0.22 if row_label else 0.0)
    across = WIDTH - left - BESIDE
    is_turned = max(map(len, column_names)) * LETTER_WIDTH > 0.85 * across / min(len(columns), MOST_NAMES)
    below = LETTER_WIDTH * max(map(len, column_names)) if is_turned else 0.12
    margins = Margins(
        left=left,
        right=BESIDE,
        bottom=0.14 + below + (0.22 if column_label else 0.0),
    )
    up = min(max(ROW_HEIGHT * len(rows), LOWEST), HIGHEST)
    height = up + margins.bottom + margins.top
    figure, axes = empty(row_label, margins, WIDTH, height, x_label=column_label)
    image = axes.imshow(values, aspect="auto", interpolation="none", cmap="viridis")
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=2)
    name_some(axes, row_names, column_names, is_turned)
    if max(values.shape) <= MOST_NUMBERS:
        write_numbers(axes, image, values)
    beside = axes.inset_axes((1 + 0.12 / across, 0, 0.13 / across, 1))
    bar = figure.colorbar(image, cax=beside, format=FuncFormatter(lambda y, _: brief(y)))
    bar.set_label(unit, color=INK)
    bar.outline.set_visible(False)
    return figure


def name_some(axes: Axes, rows: Sequence[str], columns: Sequence[str], is_turned: bool) -> None:
    """Every name, or every second, third, ... where there are too many to read."""
    every_row, every_column = -(-len(rows) // MOST_NAMES), -(-len(columns) // MOST_NAMES)
    axes.set_yticks(range(0, len(rows), every_row), list(rows[::every_row]))
    axes.set_xticks(
        range(0, len(columns), every_column), list(columns[::every_column]), rotation=90 if is_turned else 0
    )


def write_numbers(axes: Axes, image: AxesImage, values: Array) -> None:
    """Each number on its cell, dark on light and light on dark; where one is missing, a dash."""
    largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0
    decimals = 2 if largest < 10 else 1 if largest < 100 else 0
    for (row, column), value in np.ndenumerate(values):
        if not np.isfinite(value):
            axes.text(column, row, "–", ha="center", va="center", fontsize=7, color=INK)
            continue
        red, green, blue, _ = image.to_rgba(value)
        is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
        axes.text(
            column,
            row,
            f"{value:z.{decimals}f}",
            ha="center",
            va="center",
            fontsize=7,
            color=DARK if is_light else LIGHT,
        )


def short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
