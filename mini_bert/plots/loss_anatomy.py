"""The loss of a run, with what each stretch of the way down means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from mini_bert.plots.diagram import pale
from mini_bert.plots.series import Series
from mini_bert.plots.style import DASHES, GUIDE, INK, PALETTE, Margins, empty, styled

WIDTH, HEIGHT, HEADROOM = 7.0, 3.5, 0.9


class Stretch(NamedTuple):
    """From this step on something new is learned, until the next stretch begins."""

    first: float
    words: str


@styled
def loss_anatomy(
    training: Series, held_out: Series, levels: Sequence[tuple[str, float]], stretches: Sequence[Stretch]
) -> Figure:
    """`levels` are losses to compare with, by name; `stretches` are shaded in turn, their words over the curve."""
    figure, axes = empty("loss (nats)", Margins(right=1.5, top=0.1), WIDTH, HEIGHT)
    last = float(training.steps[-1])
    ends = [*(stretch.first for stretch in stretches[1:]), last]
    highest = max(*(level for _, level in levels), float(np.nanmax(training.values)))
    for number, (stretch, end) in enumerate(zip(stretches, ends, strict=True)):
        axes.axvspan(
            stretch.first, end, color=pale(PALETTE[5], 0.6 if number % 2 else 0.85), linewidth=0, zorder=0
        )
        axes.text(
            (stretch.first + end) / 2,
            highest + HEADROOM - 0.08,
            stretch.words,
            fontsize=7,
            ha="center",
            va="top",
        )
    axes.plot(training.steps, training.values, color=PALETTE[0], linewidth=1.0, label="training")
    seen = np.isfinite(held_out.values)
    axes.plot(
        held_out.steps[seen], held_out.values[seen], "o--", color=PALETTE[1], markersize=4, label="held-out"
    )
    for number, (words, level) in enumerate(levels):
        axes.axhline(level, color=GUIDE, linestyle=DASHES[1 + number % 3], linewidth=1.1)
        axes.text(
            last * 1.01, level, f"{words}\n{level:.2f}", fontsize=7, va="center", color=INK, clip_on=False
        )
    axes.set_xlim(0, last)
    axes.set_ylim(top=highest + HEADROOM)
    axes.grid(False, axis="x")
    axes.legend(loc="lower left")
    return figure
