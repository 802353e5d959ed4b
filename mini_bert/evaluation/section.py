"""What an exam has found, for a terminal, a page and a program alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mini_bert.evaluation.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | Estimate | None
"""Of a table: a text, a number, a number with its interval, or nothing."""
Kind = Literal["model", "baseline", "control", "reference"]


class Column(NamedTuple):
    """Its header; numbers are shown with so many decimals, shares as percentages."""

    name: str
    is_share: bool = False
    decimals: int = 1


class Row(NamedTuple):
    """`kind`: of the model, of something it must beat, of a control, or of what is about the best one can do."""

    cells: tuple[Cell, ...]
    kind: Kind = "model"


@dataclass(frozen=True)
class Table:
    """The first column names the rows."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A plot, drawn when it is wanted."""

    title: str
    draw: Callable[[], Figure]
    note: str = ""


class Headline(NamedTuple):
    """The figure that stands for an exam in a summary: in which table, and in which column; "": the first share."""

    table: int = 0
    column: str = ""


@dataclass(frozen=True)
class Section:
    """One exam: `told` says in a sentence or two what was asked and how; `figures` are what a program reads.

    `headline` is None where nothing is to be beaten.
    """

    name: str
    title: str
    told: str
    tables: tuple[Table, ...]
    figures: Mapping[str, Any]
    pictures: tuple[Picture, ...] = field(default=())
    headline: Headline | None = Headline()


def shown(cell: Cell, column: Column) -> str:
    """A cell as it is written.

    >>> shown(Estimate(0.5, 0.4, 0.6), Column("right", is_share=True)), shown(1234, Column("pairs"))
    ('50.0 % (40.0–60.0)', '1,234')
    >>> shown(None, Column("pairs")), shown(2.3456, Column("loss", decimals=2))
    ('–', '2.35')
    """
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    value, low, high = cell if isinstance(cell, Estimate) else Estimate(cell)
    factor, unit = (100, " %") if column.is_share else (1, "")

    def number(x: float) -> str:
        return f"{factor * x:,.{column.decimals}f}"

    told = f"{number(value)}{unit}"
    return told if low is None or high is None else f"{told} ({number(low)}–{number(high)})"
