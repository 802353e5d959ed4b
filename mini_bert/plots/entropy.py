"""How widely each head looks around, over the steps of a run."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from mini_bert.core.array import Array
from mini_bert.plots.style import INK, PAPER, Margins, brief, empty, styled

MOST_COLUMNS = 120
MOST_ROW_NAMES = 12


@styled
def attention_entropy(steps: Array, entropies: Array, most: float) -> Figure:
    """`entropies` (inspections, layers, heads) in nats; `most` is ln T, that of a head which looks everywhere alike.

    One row for each head, layer 0 at the bottom.
    """
    keep = np.unique(np.linspace(0, len(steps) - 1, min(len(steps), MOST_COLUMNS)).astype(int))
    steps, entropies = steps[keep], entropies[keep]
    _, layers, heads = entropies.shape
    figure, axes = empty("layer · head", Margins(right=0.85), height=2.55 + 0.03 * min(layers * heads, 40))
    image = axes.imshow(
        entropies.reshape(len(steps), layers * heads).T,
        aspect="auto",
        origin="lower",
        interpolation="nearest",
        cmap="viridis",
        vmin=0,
        vmax=most,
    )
    axes.grid(False)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: step_at(steps, x)))
    every = heads * -(-layers // MOST_ROW_NAMES) if layers * heads > MOST_ROW_NAMES else 1
    rows = range(0, layers * heads, every)
    axes.set_yticks(list(rows), [f"{row // heads} · {row % heads}" for row in rows])
    for layer in range(1, layers):
        axes.axhline(layer * heads - 0.5, color=PAPER, linewidth=0.8)
    beside = axes.inset_axes((1.03, 0, 0.03, 1))
    bar = figure.colorbar(image, cax=beside, format=FuncFormatter(lambda y, _: brief(y)))
    bar.set_label("entropy (nats)", color=INK)
    bar.outline.set_visible(False)
    return figure


def step_at(steps: Array, column: float) -> str:
    number = round(column)
    return f"{steps[number]:,.0f}" if 0 <= number < len(steps) and abs(column - number) < 0.01 else ""
