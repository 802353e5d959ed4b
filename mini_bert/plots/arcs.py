"""A sentence between two trees: the true one above it, a predicted one below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Arc

from mini_bert.plots.style import INK, PALETTE, ROW_OF_LEGEND, Margins, empty, styled

IN_BOTH, IN_ONE = PALETTE[0], PALETTE[1]
LETTER_WIDTH, SPACE, LEVEL, GAP = 0.082, 0.16, 0.19, 0.13
"""Inches: of a letter, between words, of height for each word that an arc goes on, from the words to its ends."""
LOWEST, HIGHEST = 0.35, 7
"""In levels: what every arc has, and what the longest are cut to."""


class Edge(NamedTuple):
    """Two words by their numbers, the smaller first, and whether the other tree has this edge too."""

    first: int
    second: int
    is_shared: bool


@styled
def arcs(words: Sequence[str], gold: Sequence[Edge], predicted: Sequence[Edge]) -> Figure:
    """Arcs of the gold tree over the words and of the predicted one under them."""
    places = centres(words)
    width = places[-1] + LETTER_WIDTH * len(words[-1]) / 2
    above, below = (0.05 + GAP + LEVEL * (LOWEST + highest(edges)) for edges in (gold, predicted))
    margins = Margins(left=0.75, right=0.1, bottom=0.1, top=0.12 + ROW_OF_LEGEND)
    figure, axes = empty(
        "",
        margins,
        max(4.2, width + margins.left + margins.right),
        above + below + margins.top + margins.bottom,
        x_label="",
    )
    axes.set_xlim(0, max(4.2 - margins.left - margins.right, width))
    axes.set_ylim(-below, above)
    axes.axis("off")
    for place, word in zip(places, words, strict=True):
        axes.text(place, 0, word, ha="center", va="center", fontsize=9)
    draw(axes, places, gold, 1)
    draw(axes, places, predicted, -1)
    for name, height in (("gold tree", above / 2), ("predicted", -below / 2)):
        axes.text(-0.08, height, name, ha="right", va="center", fontsize=9, color=INK)
    axes.legend(
        handles=[
            Line2D([], [], color=IN_BOTH, label="edge in both trees"),
            Line2D([], [], color=IN_ONE, linestyle="dashed", label="edge in one tree only"),
        ],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2,
        borderpad=0.2,
    )
    return figure


def centres(words: Sequence[str]) -> list[float]:
    """Where each word stands, in inches."""
    places, end = [], 0.0
    for word in words:
        width = LETTER_WIDTH * len(word)
        places.append(end + width / 2)
        end += width + SPACE
    return places


def highest(edges: Sequence[Edge]) -> int:
    return max((min(HIGHEST, edge.second - edge.first) for edge in edges), default=1)


def draw(axes: Axes, places: Sequence[float], edges: Sequence[Edge], side: int) -> None:
    """Half ellipses that stand on the words (side 1) or hang from them (side -1)."""
    for edge in edges:
        first, second = places[edge.first], places[edge.second]
        rise = LEVEL * (LOWEST + min(HIGHEST, edge.second - edge.first))
        axes.add_patch(
            Arc(
                ((first + second) / 2, side * GAP),
                second - first - 0.05,
                2 * rise,
                theta1=0 if side > 0 else 180,
                theta2=180 if side > 0 else 360,
                color=IN_BOTH if edge.is_shared else IN_ONE,
                linestyle="solid" if edge.is_shared else "dashed",
                linewidth=1.3,
            )
        )
