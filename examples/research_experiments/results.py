"""How an experiment tells what it found: numbers with their spread over seeds, a table in Markdown, a figure."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mini_bert.evaluation.estimate import over_seeds
from mini_bert.marked_page import rewrite
from mini_bert.plots.series import Series
from mini_bert.plots.style import PALETTE, empty, legend_above, save, styled, with_legend_above

HERE = Path(__file__).parent


def told(values: Sequence[float], decimals: int = 3) -> str:
    """The mean over seeds, and half of its 95 % interval by Student's t.

    >>> told([1.0, 2.0, 3.0], 1), told([0.5], 2)
    ('2.0 ± 2.5', '0.50')
    """
    found = over_seeds(values)
    mean = f"{found.value:.{decimals}f}"
    return mean if found.high is None else f"{mean} ± {found.high - found.value:.{decimals}f}"


def difference(values: Sequence[float], base: Sequence[float], decimals: int = 3) -> str:
    """The mean of the differences from the base, seed by seed, with its interval."""
    apart = told([one - other for one, other in zip(values, base, strict=True)], decimals)
    return apart if apart.startswith("-") else f"+{apart}"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def mean_curve(curves: Sequence[Series]) -> Series:
    """The mean over runs that were measured at the same steps."""
    return Series(curves[0].steps, np.mean([one.values for one in curves], axis=0))


@styled
def over_variants(
    names: Sequence[str], measures: Mapping[str, Sequence[Sequence[float]]], unit: str, x_label: str
) -> Figure:
    """For each measure a line through the means of the variants, and a dot for each seed."""
    figure, axes = empty(unit, with_legend_above(len(measures), 3), x_label=x_label)
    for color, (measure, by_variant) in zip(PALETTE, measures.items(), strict=False):
        axes.plot([np.mean(seeds) for seeds in by_variant], color=color, label=measure)
        for place, seeds in enumerate(by_variant):
            axes.plot([place] * len(seeds), seeds, "o", color=color, markersize=3, alpha=0.6)
    axes.set_xticks(range(len(names)), names)
    if len(measures) > 1:
        legend_above(axes, 3)
    return figure


def show(name: str, table: str, figure: Figure, args: argparse.Namespace) -> None:
    """Print the table and save the figure: in the folder of the runs, and with --keep beside the script."""
    print(table)
    place = (HERE if args.keep else args.out) / f"{name}.svg"
    save(figure, place)
    print(f"figure: {place}")
    if args.keep:
        rewrite(HERE / "README.md", {f"experiment: {name}": table})
