"""Rows of tokens, one box each: what stands in the text, what the model is shown, what it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mini_bert.plots.diagram import Box, draw_box, sheet, write
from mini_bert.plots.style import PALETTE, styled

WIDTH, LABELS, EDGE = 7.4, 0.95, 0.12
LETTER, ROOM, CELL, BASE, STEP, LINE = 0.067, 0.12, 0.25, 0.09, 0.31, 0.26
"""Inches: of a letter, around a word, the height of a box and of the line its word stands on, from strip to strip, and
between lines of strips."""


class Strip(NamedTuple):
    """A name for the row, its words, and the kind of each, which is its colour; a word that is empty has no box."""

    name: str
    words: Sequence[str]
    kinds: Sequence[str]


@styled
def token_strips(strips: Sequence[Strip], kinds: Mapping[str, str]) -> Figure:
    """Strips of equal length under each other, wrapped together; `kinds` tells in words what each colour means."""
    widths = [
        ROOM + LETTER * max(len(strip.words[place]) for strip in strips)
        for place in range(len(strips[0].words))
    ]
    lines = wrapped(widths, WIDTH - LABELS - EDGE)
    deep = len(strips) * STEP
    height = 0.42 + len(lines) * (deep + LINE)
    figure, axes = sheet(WIDTH, height)
    draw_key(axes, kinds, height - 0.2)
    for number, line in enumerate(lines):
        top = height - 0.42 - number * (deep + LINE)
        for row, strip in enumerate(strips):
            bottom = top - (row + 1) * STEP
            write(axes, LABELS - 0.1, bottom + CELL / 2, strip.name, ha="right")
            left = LABELS
            for place in line:
                if strip.words[place]:
                    box = Box(left, bottom, widths[place] - 0.03, CELL)
                    color = PALETTE[list(kinds).index(strip.kinds[place])]
                    draw_box(axes, box, "", color)
                    write(axes, box.x, bottom + BASE, strip.words[place], fontsize=7.5, va="baseline")
                left += widths[place]
    return figure


def wrapped(widths: Sequence[float], room: float) -> list[list[int]]:
    """The places of each line, as many as there is room for."""
    lines: list[list[int]] = [[]]
    used = 0.0
    for place, width in enumerate(widths):
        if used + width > room and lines[-1]:
            lines.append([])
            used = 0.0
        lines[-1].append(place)
        used += width
    return lines


def draw_key(axes: Axes, kinds: Mapping[str, str], y: float) -> None:
    """What the colours mean, over the strips."""
    left = LABELS
    for words, color in zip(kinds.values(), PALETTE, strict=False):
        draw_box(axes, Box(left, y - 0.08, 0.22, 0.16), "", color)
        write(axes, left + 0.28, y, words, ha="left", fontsize=7.5)
        left += 0.28 + LETTER * len(words) + 0.22
