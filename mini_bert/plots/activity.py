"""How often the units of each layer are active, from the busiest to those that never are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from mini_bert.core.array import Array
from mini_bert.plots.style import brief, empty, legend_above, shades, styled, with_legend_above

WIDTH, COLUMNS = 5.6, 4


@styled
def activity(layers: Mapping[str, Array], tokens: int) -> Figure:
    """A curve for each layer: the shares of `tokens` at which its units are active, in falling order."""
    names = {
        name: f"{name}: {int((shares == 0).sum())} of {len(shares)} never" for name, shares in layers.items()
    }
    columns = max(1, min(COLUMNS, 78 // (max(map(len, names.values())) + 6)))
    margins = with_legend_above(len(layers), columns)._replace(right=0.2)
    figure, axes = empty(
        f"active at (% of {tokens:,} tokens)",
        margins,
        WIDTH,
        2.6 + margins.top,
        x_label="units, busiest first (%)",
    )
    for (name, shares), color in zip(layers.items(), shades(len(layers)), strict=True):
        places = 100 * (np.arange(len(shares)) + 0.5) / len(shares)
        axes.plot(places, 100 * np.sort(shares)[::-1], color=color, label=names[name])
    axes.set_xlim(0, 100)
    axes.set_ylim(-2, 102)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: brief(x)))
    legend_above(axes, columns)
    return figure
