"""The loss at each learning rate of a sweep."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mini_bert.plots.style import GUIDE, PALETTE, brief, empty, legend_above, styled, with_legend_above
from mini_bert.training.rate_finder import LearningRateCurve


@styled
def learning_rates(curve: LearningRateCurve) -> Figure:
    """The loss of each step as a dot, smoothed as a line; the rates that matter as upright lines."""
    figure, axes = empty(
        "loss (nats)", with_legend_above(5, 5), width=6.4, height=3.8, x_label="learning rate"
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=10))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.plot(
        curve.rates, curve.losses, ".", color=PALETTE[5], markersize=4, alpha=0.7, label="loss of a step"
    )
    axes.plot(curve.rates, curve.smoothed, color=PALETTE[0], label="smoothed")
    if curve.suggestion is not None:
        axes.axvline(curve.suggestion, color=PALETTE[2], label=f"suggested: {curve.suggestion:.1e}")
    if curve.diverged_at is not None:
        axes.axvline(
            curve.diverged_at, color=PALETTE[1], linestyle="dashed", label=f"bursts: {curve.diverged_at:.1e}"
        )
    if curve.steepest is not None and curve.steepest != curve.suggestion:
        axes.axvline(curve.steepest, color=GUIDE, linestyle="dotted", label=f"steepest: {curve.steepest:.1e}")
    low, high = float(np.min(curve.losses)), float(np.max(curve.smoothed))
    room = 0.08 * max(high - low, 1e-3)
    axes.set_ylim(low - room, high + room)  # a burst loss may be anywhere, and would flatten all before it
    legend_above(axes, columns=5)
    return figure
