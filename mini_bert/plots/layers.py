"""One curve for each part of the model, from the embeddings up to the head."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from mini_bert.plots.curves import draw
from mini_bert.plots.series import Series
from mini_bert.plots.style import (
    GUIDE,
    PALETTE,
    WITH_LEGEND_BESIDE,
    empty,
    legend_beside,
    logarithmic,
    shades,
    styled,
)

MOST_NAMES = 12
ENCODER_LAYER = re.compile(r"(?:encoder\.)?layers\.(\d+)(?:\.\w+)*")


@styled
def by_layer(
    series: Mapping[str, Series],
    unit: str,
    guides: Mapping[str, float] | None = None,
    *,
    is_logarithmic: bool = True,
) -> Figure:
    """Encoder layers go from dark to light, from the bottom to the top; other parts have dashed curves."""
    figure, axes = empty(unit, WITH_LEGEND_BESIDE)
    layers = [name for name in series if ENCODER_LAYER.fullmatch(name)]
    shade_of = dict(zip(layers, shades(len(layers)), strict=True))
    others = iter([*PALETTE[1::2], *PALETTE[::2]] * len(series))
    shown = set(layers[:: -(-len(layers) // MOST_NAMES)]) if layers else set()
    for name, one in series.items():
        if name in shade_of:
            draw(axes, one, short_name(name) if name in shown else "_", shade_of[name])
        else:
            draw(axes, one, short_name(name), next(others), "dashed")
    for name, level in (guides or {}).items():
        axes.axhline(level, color=GUIDE, linestyle="dotted", linewidth=1.1, label=name)
    if is_logarithmic:
        levels = np.array(list((guides or {}).values()))
        logarithmic(axes, np.concatenate([*(one.values for one in series.values()), levels]))
    legend_beside(axes)
    return figure


def short_name(name: str) -> str:
    """The name of a part in a legend.

    >>> short_name("encoder.layers.3"), short_name("encoder.layers.3.ffn.out"), short_name("final_norm")
    ('layer 3', 'layer 3', 'final norm')
    """
    if found := ENCODER_LAYER.fullmatch(name):
        return f"layer {found[1]}"
    return name.removeprefix("encoder.").removesuffix(".out").replace("_", " ")
