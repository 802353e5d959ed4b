"""One step of training as a round: from the text to the weights, which the next step begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from mini_bert.plots.diagram import Box, draw_arrow, draw_box, sheet, write
from mini_bert.plots.style import PALETTE, styled

BOX_WIDTH, BOX_HEIGHT, GAP, EDGE, BETWEEN = 1.72, 0.72, 0.86, 0.12, 0.7


class Stage(NamedTuple):
    """What is done, the equation of it, and what it hands on."""

    title: str
    equation: str
    gives: str


@styled
def step_cycle(stages: Sequence[Stage]) -> Figure:
    """The first half of the stages from left to right, the others back below them, and up to the first."""
    half = -(-len(stages) // 2)
    width = 2 * EDGE + half * BOX_WIDTH + (half - 1) * GAP
    height = 2 * BOX_HEIGHT + BETWEEN + 2 * EDGE
    figure, axes = sheet(width, height)
    boxes = []
    for number in range(len(stages)):
        column, is_above = (number, True) if number < half else (2 * half - 1 - number, False)
        bottom = height - EDGE - BOX_HEIGHT if is_above else EDGE
        boxes.append(Box(EDGE + column * (BOX_WIDTH + GAP), bottom, BOX_WIDTH, BOX_HEIGHT))
    for number, (stage, box) in enumerate(zip(stages, boxes, strict=True)):
        draw_box(axes, box, "", PALETTE[number % len(PALETTE)])
        write(axes, box.x, box.y + 0.15, f"{number + 1}. {stage.title}", fontweight="bold")
        write(axes, box.x, box.y - 0.14, stage.equation, fontsize=7.5)
        following = boxes[(number + 1) % len(boxes)]
        if following.bottom == box.bottom:
            is_right = following.left > box.left
            start, end = (box.right, following.left) if is_right else (box.left, following.right)
            draw_arrow(axes, (start, box.y), (end, box.y))
            write(axes, (start + end) / 2, box.y + 0.2, stage.gives, fontsize=7)
        else:
            is_down = following.bottom < box.bottom
            start, end = (box.bottom, following.top) if is_down else (box.top, following.bottom)
            draw_arrow(axes, (box.x, start), (following.x, end))
            ha, beside = ("right", -0.1) if is_down else ("left", 0.1)
            write(axes, box.x + beside, (start + end) / 2, stage.gives, fontsize=7, ha=ha)
    return figure
