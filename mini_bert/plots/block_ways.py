"""Inside one block: forward from top to bottom, and beside it the gradient, which goes the same ways back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mini_bert.plots.diagram import Box, draw_arrow, draw_box, pale, sheet, write
from mini_bert.plots.style import INK, PALETTE, styled

WIDTH, HEIGHT, BOX_WIDTH, BOX_HEIGHT = 6.5, 5.6, 1.55, 0.46
ENDS = (5.15, 0.25)
PARTS = (4.2, 3.05, 2.0, 0.85)
"""Where the boxes' middles are: attention, its norm, feed-forward, its norm."""
BRANCHES = ((4.74, 3.62), (2.54, 1.42))
"""Where each residual branch leaves the way, and where it comes back."""
AROUND, KNOT, DOT = 0.42, 0.1, 0.04
ATTENTION, FEED_FORWARD, NORM = PALETTE[0], PALETTE[2], PALETTE[7]


class BlockSizes(NamedTuple):
    """Tokens, hidden, heads, feed-forward."""

    T: int
    H: int
    A: int
    I: int


@styled
def block_ways(sizes: BlockSizes) -> Figure:
    """A post-norm block of these sizes. Where forward splits, backward adds; where forward adds, backward splits."""
    figure, axes = sheet(WIDTH, HEIGHT)
    T, H, A, I = sizes
    forward = (
        f"attention\n{A} heads of {H // A}",
        "layer norm",
        f"feed-forward\n{H} → {I} → {H}",
        "layer norm",
    )
    backward = (
        "attention,\nbackward",
        "layer norm,\nbackward",
        "feed-forward,\nbackward",
        "layer norm,\nbackward",
    )
    for x, names, title, ends, is_back in (
        (1.25, forward, "forward", ("x", "y"), False),
        (5.0, backward, "backward", ("dx", "dy"), True),
    ):
        write(axes, x, HEIGHT - 0.2, title, fontweight="bold", fontsize=9)
        draw_way(axes, x, names, [f"{end} ({T}, {H})" for end in ends], is_back)
    for y, words in zip(
        BRANCHES[0],
        ("x goes two ways:\ngradients add up", "two ways meet: each\ngets the gradient"),
        strict=True,
    ):
        write(axes, 3.25, y, words, fontsize=7)
    return figure


def draw_way(axes: Axes, x: float, names: Sequence[str], ends: Sequence[str], is_back: bool) -> None:
    """One column: the way through the boxes, the branches around two of them, and where they part and meet."""
    arrow = {"arrowstyle": "<|-"} if is_back else {}
    for (leaves, comes), color in zip(BRANCHES, (ATTENTION, FEED_FORWARD), strict=True):
        start, end = (comes, leaves) if is_back else (leaves, comes)
        side = x + BOX_WIDTH / 2 + AROUND / 2
        axes.plot([x, side, side], [start, start, end], color=color, linewidth=2.2, solid_joinstyle="round")
        draw_arrow(axes, (side, end), (x + KNOT, end), color=color, linewidth=2.2)
    stops = sorted([*ENDS, *PARTS, *(y for branch in BRANCHES for y in branch)], reverse=True)
    for above, below in pairwise(stops):
        start, end = above - room_around(above, is_back), below + room_around(below, is_back)
        draw_arrow(axes, (x, start), (x, end), **arrow)
    for y, name, color in zip(PARTS, names, (ATTENTION, NORM, FEED_FORWARD, NORM), strict=True):
        draw_box(axes, Box(x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2, BOX_WIDTH, BOX_HEIGHT), name, color)
    for y, name in zip(ENDS, ends, strict=True):
        write(axes, x, y, name, fontweight="bold")
    for leaves, comes in BRANCHES:
        adds, splits = (leaves, comes) if is_back else (comes, leaves)
        axes.add_patch(Circle((x, adds), KNOT, facecolor=pale(PALETTE[4]), edgecolor=INK, zorder=3))
        write(axes, x, adds, "+", zorder=4)
        axes.add_patch(Circle((x, splits), DOT, color=INK, zorder=3))


def room_around(y: float, is_back: bool) -> float:
    """How far from the middle of what stands there an arrow ends."""
    if y in ENDS:
        return 0.12
    if y in PARTS:
        return BOX_HEIGHT / 2
    splits = [comes if is_back else leaves for leaves, comes in BRANCHES]
    return DOT if y in splits else KNOT
