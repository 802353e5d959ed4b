"""How the vector of a token is cut into heads, and how what they find is put together again."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mini_bert.plots.diagram import Box, draw_arrow, pale, sheet, write
from mini_bert.plots.style import PALETTE, styled

WIDTH, WHOLE, TALL = 7.2, 1.7, 0.75
"""Inches: of the sheet, of a matrix of all numbers, and how high a matrix of T tokens is drawn."""
HEAD_STEP, TOP = 1.06, 0.5


@styled
def head_split(T: int, H: int, A: int) -> Figure:
    """(T, H) → A matrices (T, D) → A contexts (T, D) → (T, H); a band of columns keeps its colour."""
    D = H // A
    height = TOP + A * HEAD_STEP + 0.1
    figure, axes = sheet(WIDTH, height)
    middle, band = (height - TOP) / 2, WHOLE / A
    at, heads_at, found_at, end = 0.15, 2.6, 4.2, WIDTH - WHOLE - 0.15
    for left in (at, end):
        for head in range(A):
            draw_matrix(axes, Box(left + head * band, middle - TALL / 2, band, TALL), head)
    write(axes, at + WHOLE / 2, middle + TALL / 2 + 0.16, f"Q, and so K and V: {T} × {H}")
    write(axes, end + WHOLE / 2, middle + TALL / 2 + 0.16, f"context: {T} × {H}")
    write(
        axes,
        at + WHOLE / 2,
        middle - TALL / 2 - 0.22,
        f"columns 0–{D - 1}: head 0,\n{D}–{2 * D - 1}: head 1, …",
        fontsize=7,
    )
    write(
        axes,
        end + WHOLE / 2,
        middle - TALL / 2 - 0.22,
        "side by side again,\nthen W_O mixes them",
        fontsize=7,
    )
    write(axes, (heads_at + found_at + band) / 2, height - 0.2, f"each head by itself, D = {H} / {A} = {D}")
    for head in range(A):
        y = height - TOP - (head + 0.5) * HEAD_STEP
        own, found = (Box(left, y - TALL / 2, band, TALL) for left in (heads_at, found_at))
        draw_matrix(axes, own, head)
        draw_matrix(axes, found, head)
        write(axes, (own.right + found.left) / 2, y + 0.2, f"head {head}", fontsize=7.5)
        write(axes, (own.right + found.left) / 2, y - 0.2, f"{T} × {T}\nweights · V", fontsize=7)
        draw_arrow(axes, (own.right + 0.06, y), (found.left - 0.06, y), color=PALETTE[head % len(PALETTE)])
        draw_arrow(
            axes, (at + WHOLE + 0.06, middle), (own.left - 0.06, y), color=PALETTE[head % len(PALETTE)]
        )
        draw_arrow(axes, (found.right + 0.06, y), (end - 0.06, middle), color=PALETTE[head % len(PALETTE)])
    return figure


def draw_matrix(axes: Axes, box: Box, head: int) -> None:
    color = PALETTE[head % len(PALETTE)]
    axes.add_patch(
        Rectangle((box.left, box.bottom), box.width, box.height, facecolor=pale(color, 0.55), edgecolor=color)
    )
