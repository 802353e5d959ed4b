"""One attention head as matrices: what is multiplied with what, each number a cell in its colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.style import GRID, INK, styled

UNIT, NARROW, GAP, LETTER = 0.185, 0.042, 0.52, 0.066
"""Inches: the side of a cell of a token, of one of a vector's many numbers, between two matrices, and of a letter."""
LEFT, TITLE, FOOT, BETWEEN = 0.12, 0.46, 0.12, 0.72
MOST = 0.98
"""The share of numbers with a colour of their own; the largest few look alike, or nothing else would be seen."""


class Matrix(NamedTuple):
    """Numbers (rows, columns) with a title; `sign` stands before it, such as "×" or "="."""

    title: str
    values: Array
    sign: str = ""
    names: Sequence[str] = ()
    is_share: bool = False


@styled
def head_matrices(rows: Sequence[Sequence[Matrix]]) -> Figure:
    """One equation in each row, its matrices drawn to scale: tokens as squares, the numbers of a vector narrower."""
    tokens = max(min(matrix.values.shape) for row in rows for matrix in row)
    lefts, width = placed(rows, tokens)
    heights = [max(inches(matrix.values.shape[0], tokens) for matrix in row) for row in rows]
    height = sum(heights) + len(rows) * TITLE + (len(rows) - 1) * (BETWEEN - TITLE) + FOOT
    figure = Figure(figsize=(width, height))
    top = height - TITLE
    for row, starts, tall in zip(rows, lefts, heights, strict=True):
        for matrix, left in zip(row, starts, strict=True):
            m, n = matrix.values.shape
            w, h = inches(n, tokens), inches(m, tokens)
            axes = figure.add_axes((left / width, (top - (tall + h) / 2) / height, w / width, h / height))
            largest = float(np.quantile(np.abs(matrix.values), MOST))
            colors = ("Blues", 0, 1) if matrix.is_share else ("PuOr", -largest, largest)
            axes.imshow(
                matrix.values,
                aspect="auto",
                interpolation="none",
                cmap=colors[0],
                vmin=colors[1],
                vmax=colors[2],
            )
            axes.grid(False)
            axes.set_xticks([])
            axes.set_yticks(range(len(matrix.names)), list(matrix.names), fontsize=7)
            axes.tick_params(length=0, pad=2)
            axes.spines[:].set_visible(True)
            axes.spines[:].set_color(GRID)
            axes.set_title(f"{matrix.title}\n{m} × {n}", fontsize=8, pad=3, color=INK)
            sign_x = (left - names_width(matrix) - GAP / 2) / width
            figure.text(sign_x, (top - tall / 2) / height, matrix.sign, fontsize=11, ha="center", va="center")
        top -= tall + BETWEEN
    return figure


def inches(count: int, tokens: int) -> float:
    """How long an axis is drawn: that of tokens, or that of a vector's numbers."""
    return count * (UNIT if count <= tokens else NARROW)


def names_width(matrix: Matrix) -> float:
    return LETTER * max(map(len, matrix.names), default=0)


def placed(rows: Sequence[Sequence[Matrix]], tokens: int) -> tuple[list[list[float]], float]:
    """Where each matrix begins, in inches, and how wide the widest row is."""
    lefts, widest = [], 0.0
    for row in rows:
        at, starts = LEFT, []
        for matrix in row:
            at += names_width(matrix) + (GAP if matrix.sign else 0.0)
            starts.append(at)
            at += inches(matrix.values.shape[1], tokens)
        lefts.append(starts)
        widest = max(widest, at)
    return lefts, widest + LEFT
