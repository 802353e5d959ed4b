"""A table that keeps its first columns whole where the terminal is narrow, as they say what a row is about."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table

SHORTEST, NARROWEST = 8, 12
"""A column that may be shortened keeps so many letters; one that may be wrapped is so wide at least."""
BETWEEN, AROUND = 3, 2


class FittingTable(Table):
    """Shortens the columns named in `shortened` first, then leaves out whole columns, the last ones first."""

    shortened: Collection[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.fit(console, options)
        return super().__rich_console__(console, options)

    def fit(self, console: Console, options: ConsoleOptions) -> None:
        natural = [
            max(Measurement.get(console, options, cell).maximum for cell in (column.header, *column.cells))
            for column in self.columns
        ]
        room = options.max_width - AROUND + BETWEEN
        if sum(natural) + BETWEEN * len(natural) <= room:
            return
        widths = [
            min(width, self.least(column, width)) for column, width in zip(self.columns, natural, strict=True)
        ]
        while len(widths) > 1 and sum(widths) + BETWEEN * len(widths) > room:
            widths.pop()
        left_out = [str(column.header) for column in self.columns[len(widths) :]]
        if any(left_out):
            self.caption, self.caption_justify = f"no room here for: {', '.join(left_out)}", "left"
        self.columns = self.columns[: len(widths)]
        spare = max(0, room - sum(widths) - BETWEEN * len(widths))
        for column, width, wanted in zip(self.columns, widths, natural, strict=False):
            more = min(spare, wanted - width)
            spare -= more
            column.width = width + more

    def least(self, column: Column, natural: int) -> int:
        if column.header in self.shortened:
            return SHORTEST
        return natural if column.no_wrap else max(NARROWEST, column.min_width or 0)
