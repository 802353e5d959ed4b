"""One look for all plots: a light grid, labels with units, colours that the colour-blind can tell apart.

@styled
def some_plot(...) -> Figure:
    figure, axes = empty("loss (nats)")
    ...

save(figure, Path("curve.png"))     # or .svg
"""

from __future__ import annotations

from io import BytesIO
from math import log10
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Transform, blended_transform_factory

from mini_bert.core.array import Array
from mini_bert.files import write_atomically

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
"""The colours of Okabe and Ito (2008), without those that vanish on white or on black."""
INK, GRID, PAPER, GUIDE = "#27313b", "#d5dae0", "#ffffff", "#7b8794"
DASHES = ("solid", "dashed", "dotted", "dashdot")
SALT = "mini-bert"
PIXELS_PER_INCH, PIXELS_IN_A_NOTEBOOK = 160, 110
WORTH_A_LOGARITHM, MANY_DECADES = 0.5, 2.5

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.5,
    "svg.fonttype": "none",
    "svg.hashsalt": SALT,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "xtick.labelsize": 8,
    "ytick.color": INK,
    "ytick.labelsize": 8,
}

styled = rc_context(STYLE)
"""Decorates a function that draws: matplotlib asks for its settings while things are made."""

FORMATS = (".png", ".svg")


class Margins(NamedTuple):
    """Inches around a plot. They are given, not computed: that is twice as fast, and plots in a row line up."""

    left: float = 0.66
    right: float = 0.12
    bottom: float = 0.46
    top: float = 0.12


PLAIN, WITH_LEGEND_BESIDE = Margins(), Margins(right=1.16)
ROW_OF_LEGEND = 0.19


def with_legend_above(entries: int, columns: int) -> Margins:
    """Margins that leave room for the names of so many curves over the plot."""
    return Margins(top=0.15 + ROW_OF_LEGEND * -(-entries // columns))


def empty(
    unit: str, margins: Margins = PLAIN, width: float = 4.2, height: float = 2.55, x_label: str = "step"
) -> tuple[Figure, Axes]:
    """A figure, its size in inches, with one plot over the steps of a run."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes(
        (
            margins.left / width,
            margins.bottom / height,
            1 - (margins.left + margins.right) / width,
            1 - (margins.bottom + margins.top) / height,
        )
    )
    axes.set_xlabel(x_label)
    axes.set_ylabel(unit)
    axes.yaxis.set_label_coords(0.18 / width, 0.5, transform=across_and_up(axes))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: brief(y)))
    return figure, axes


def across_and_up(axes: Axes) -> Transform:
    """Across in shares of the figure, up in shares of the plot: what is placed so keeps clear of wide numbers."""
    assert axes.figure is not None
    return blended_transform_factory(axes.figure.transSubfigure, axes.transAxes)


def brief(number: float) -> str:
    """A number for an axis.

    >>> brief(12000.0), brief(0.25), brief(1e-5), brief(0.0)
    ('12,000', '0.25', '1e-5', '0')
    """
    if abs(number) >= 1000 and abs(number) < 1e7:
        return f"{number:,.0f}"
    return f"{number:.6g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def logarithmic(axes: Axes, values: Array) -> None:
    """A logarithmic vertical axis; where the values lie close together, a plain one shows more."""
    drawn = values[np.isfinite(values) & (values > 0)]
    decades = log10(drawn.max() / drawn.min()) if drawn.size else 0.0
    if decades < WORTH_A_LOGARITHM:
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if decades > MANY_DECADES else (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: brief(y)))
    axes.yaxis.set_minor_locator(NullLocator())


def shades(count: int) -> list[str]:
    """So many colours in an order, for layers: none so dark or so light that it would vanish."""
    return [to_hex(colormaps["viridis"](place)) for place in np.linspace(0.15, 0.88, max(count, 1))]


def legend_above(axes: Axes, columns: int) -> None:
    """The names of the curves over the plot, where they hide none of it."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        bbox_transform=across_and_up(axes),
        ncols=columns,
        borderpad=0.2,
        columnspacing=1.2,
    )


def legend_beside(axes: Axes) -> None:
    """The names of the curves to the right of the plot."""
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderpad=0.2, labelspacing=0.35)


@styled
def save(figure: Figure, path: Path) -> None:
    """Write a PNG or an SVG, whichever the name ends in: whole, or not at all."""
    check_format(path)
    made = BytesIO()
    kind = path.suffix.lower().removeprefix(".")
    dateless = {"Date": None} if kind == "svg" else {"Software": None}
    figure.savefig(made, format=kind, dpi=PIXELS_PER_INCH, metadata=dateless)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, made.getvalue())


@styled
def as_svg(figure: Figure) -> str:
    """The figure as a text of SVG; the same figure gives the same text."""
    made = BytesIO()
    figure.savefig(made, format="svg", metadata={"Date": None})
    return made.getvalue().decode()


@styled
def as_png(figure: Figure) -> bytes:
    """The figure as a PNG, as large as a page shows it."""
    made = BytesIO()
    figure.savefig(made, format="png", dpi=PIXELS_IN_A_NOTEBOOK, metadata={"Software": None})
    return made.getvalue()


def check_format(path: Path) -> None:
    """Refuse a name that says no format we can write."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"{path}: a plot is a .png or an .svg; choose a name that ends so")
