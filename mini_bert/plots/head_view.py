"""All heads at a glance: a small map of each, a row for each layer."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from mini_bert.core.array import Array
from mini_bert.plots.style import GRID, INK, styled

LARGEST, SMALLEST, WIDEST, GAP = 1.25, 0.45, 7.6, 0.08
"""Inches: of a map, of all maps beside each other, and between two."""
LEFT, TOP, EDGE = 0.42, 0.4, 0.1


@styled
def head_view(weights: Array, layers: Sequence[str]) -> Figure:
    """`weights` (L, A, T, T) of the layers named so. In a map a row is a piece that looks; dark is where it looks."""
    L, A = weights.shape[:2]
    size = min(LARGEST, max(SMALLEST, (WIDEST - LEFT - EDGE) / A - GAP))
    step = size + GAP
    width, height = LEFT + A * step + EDGE, TOP + L * step + EDGE
    figure = Figure(figsize=(width, height))
    for layer in range(L):
        for head in range(A):
            left, top = LEFT + head * step, TOP + layer * step
            axes = figure.add_axes((left / width, 1 - (top + size) / height, size / width, size / height))
            axes.imshow(
                weights[layer, head], aspect="auto", interpolation="none", cmap="Blues", vmin=0, vmax=1
            )
            axes.set_xticks([])
            axes.set_yticks([])
            axes.grid(False)
            axes.spines[:].set_visible(True)
            axes.spines[:].set_color(GRID)
            if layer == 0:
                axes.set_title(str(head), fontsize=8, pad=2, color=INK)
            if head == 0:
                axes.set_ylabel(layers[layer], fontsize=8, rotation=0, labelpad=8, va="center")
    figure.text(LEFT / width, 1 - 0.05 / height, "head →", fontsize=8, va="top", color=INK)
    figure.text(0.04 / width, 1 - 0.22 / height, "layer ↓", fontsize=8, va="top", color=INK)
    return figure
