"""What a model has learned after so many tokens of text, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from mini_bert.core.array import Array
from mini_bert.plots.style import (
    DASHES,
    GUIDE,
    PALETTE,
    empty,
    legend_above,
    logarithmic,
    styled,
    with_legend_above,
)

WIDTH, LETTERS_IN_A_ROW, LETTERS_OF_A_HANDLE = 5.6, 78, 7
FEW_DECADES = 1.5


@styled
def over_tokens(
    tokens: Array,
    curves: Mapping[str, Array],
    unit: str,
    levels: Mapping[str, float] | None = None,
    *,
    is_logarithmic: bool = False,
) -> Figure:
    """A curve for each name over tokens seen, and a dashed line for each level. A value that is missing is nan."""
    levels = levels or {}
    names = [*curves, *levels]
    columns = max(1, LETTERS_IN_A_ROW // (max(map(len, names)) + LETTERS_OF_A_HANDLE))
    margins = with_legend_above(len(names), columns)
    figure, axes = empty(
        unit, margins, WIDTH, 2.5 + margins.top, x_label="tokens seen in training (logarithmic)"
    )
    for number, (name, values) in enumerate(curves.items()):
        axes.plot(
            tokens,
            values,
            color=PALETTE[number % len(PALETTE)],
            linestyle=DASHES[number // len(PALETTE) % len(DASHES)],
            marker="o",
            markersize=3.5,
            label=name,
        )
    for number, (name, level) in enumerate(levels.items()):
        axes.axhline(level, color=GUIDE, linestyle=DASHES[1 + number % 3], linewidth=1.2, label=name)
    scale_tokens(axes, tokens)
    if is_logarithmic:
        logarithmic(axes, np.concatenate([*curves.values(), np.array(list(levels.values()))]))
    legend_above(axes, columns)
    return figure


def scale_tokens(axes: Axes, tokens: Array) -> None:
    axes.set_xscale("log")
    decades = float(np.log10(tokens.max() / tokens.min()))
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < FEW_DECADES else (1.0,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: short(x)))
    axes.xaxis.set_minor_formatter(NullFormatter())


def short(number: float) -> str:
    """
    >>> short(204800), short(2e6), short(500)
    ('204.8k', '2M', '500')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"
