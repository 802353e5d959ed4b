"""A model from the ids to the logits: its parts in their order, the shape after each, and what each has to learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from mini_bert.plots.diagram import Box, draw_arrow, draw_box, sheet, write
from mini_bert.plots.style import PALETTE, styled

WIDTH, LEFT, BOX_WIDTH = 6.3, 1.9, 2.7
ROW, GAP, HEAD, FOOT = 0.46, 0.3, 0.42, 0.62


class Part(NamedTuple):
    """A part's title, what it computes, the shape of what comes out, and its parameters."""

    title: str
    equation: str
    shape: str
    parameters: int


@styled
def architecture(parts: Sequence[Part], ids: str) -> Figure:
    """From top to bottom; `ids` is the shape of what goes in. Parts of one kind have one colour."""
    step = ROW + GAP
    height = HEAD + FOOT + len(parts) * step
    figure, axes = sheet(WIDTH, height)
    middle = LEFT + BOX_WIDTH / 2
    top = height - HEAD
    write(axes, middle, top + 0.12, f"ids {ids}", fontweight="bold")
    write(axes, LEFT - 0.12, top + 0.12, "what it computes", ha="right")
    write(axes, LEFT + BOX_WIDTH + 0.12, top + 0.12, "parameters", ha="left")
    kinds = list(dict.fromkeys(part.title.rstrip("0123456789 ") for part in parts))
    for number, part in enumerate(parts):
        box = Box(LEFT, top - GAP - ROW - number * step, BOX_WIDTH, ROW)
        kind = part.title.rstrip("0123456789 ")
        draw_arrow(axes, (middle, box.top + GAP - 0.04), (middle, box.top + 0.01))
        if number:
            write(axes, middle + 0.1, box.top + GAP / 2, parts[number - 1].shape, ha="left", fontsize=7.5)
        draw_box(axes, box, part.title, PALETTE[kinds.index(kind)], fontsize=9)
        write(axes, box.left - 0.12, box.y, part.equation, ha="right", fontsize=7.5)
        write(axes, box.right + 0.12, box.y, f"{part.parameters:,}", ha="left")
    draw_arrow(axes, (middle, FOOT - 0.02), (middle, FOOT - GAP + 0.01))
    write(axes, middle, 0.18, f"logits {parts[-1].shape}", fontweight="bold")
    total = sum(part.parameters for part in parts)
    write(axes, LEFT + BOX_WIDTH + 0.12, 0.18, f"{total:,} in all", ha="left", fontweight="bold")
    return figure
