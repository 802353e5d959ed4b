"""The tables of an exam in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from mini_bert.cli.fitting import FittingTable
from mini_bert.cli.screen import table
from mini_bert.evaluation.section import Section, Table, shown

STYLES = {"model": "bold", "baseline": "", "control": "dim", "reference": "italic"}


def show_section(section: Section, screen: Console) -> None:
    screen.print(Text(section.title, "bold underline"))
    screen.print(Text(section.told, "dim"))
    screen.print()
    for one in section.tables:
        screen.print(terminal_table(one))
        if one.note:
            screen.print(Text(one.note, "dim"))
            screen.print()


def terminal_table(told: Table) -> FittingTable:
    made = table(told.title, *(column.name for column in told.columns))
    for row in told.rows:
        made.add_row(
            *(shown(cell, column) for cell, column in zip(row.cells, told.columns, strict=True)),
            style=STYLES[row.kind],
        )
    return made
