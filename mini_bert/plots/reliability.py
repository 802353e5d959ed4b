"""Reliability: how often the guesses are right that one is so sure of."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mini_bert.metrics.calibration import Reliability
from mini_bert.plots.style import (
    GUIDE,
    PALETTE,
    across_and_up,
    brief,
    empty,
    legend_above,
    styled,
    with_legend_above,
)

WIDTH, HEIGHT, COUNTS_HEIGHT = 5.0, 3.9, 0.8
FEWEST = 10
"""Cases of a bin that is drawn: a share of fewer says little."""


@styled
def reliability_diagram(contenders: Mapping[str, Reliability], unit: str) -> Figure:
    """The share that is right over confidence, a curve for each name; below, how many guesses the first has."""
    margins = with_legend_above(len(contenders) + 1, 3)._replace(bottom=0.46 + COUNTS_HEIGHT + 0.16)
    figure, axes = empty(unit, margins, WIDTH, HEIGHT, x_label="")
    axes.plot(
        [0, 100], [0, 100], color=GUIDE, linestyle="dashed", linewidth=1.1, label="perfectly calibrated"
    )
    for number, (name, one) in enumerate(contenders.items()):
        enough = one.cases >= FEWEST
        axes.plot(
            100 * one.confidence[enough],
            100 * one.accuracy[enough],
            color=PALETTE[number % len(PALETTE)],
            marker="o",
            markersize=3.5,
            label=name,
        )
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.tick_params("x", labelbottom=False)
    legend_above(axes, 3)
    counts_below(figure, axes, next(iter(contenders.values())))
    return figure


def counts_below(figure: Figure, axes: Axes, one: Reliability) -> None:
    box = axes.get_position()
    below = figure.add_axes((box.x0, 0.46 / HEIGHT, box.width, COUNTS_HEIGHT / HEIGHT), sharex=axes)
    middle = 50 * (one.low + one.high)
    below.bar(middle, one.cases, 100 * (one.high - one.low) * 0.9, color=PALETTE[0], linewidth=0)
    below.set_xlabel("confidence of the first guess (%)")
    below.set_ylabel("guesses")
    below.yaxis.set_label_coords(0.18 / WIDTH, 0.5, transform=across_and_up(below))
    top = max(int(one.cases.max()), 1)
    below.set_yticks([0, top], ["0", brief(float(top))])
    below.set_xticks(np.arange(0, 101, 20))
