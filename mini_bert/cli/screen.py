"""Where commands write: results to standard output, the state of long work to standard error."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from typing import Any

import click
from rich import box
from rich.console import Console

from mini_bert.cli.fitting import FittingTable
from mini_bert.plain_json import portable

PIPE_WIDTH = 110


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """A console as wide as the terminal, or wide enough for every table where there is none."""
    found = Console(stderr=stderr, quiet=quiet, highlight=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found.width = PIPE_WIDTH
    return found


def table(title: str, *columns: str, shortened: Collection[str] = ()) -> FittingTable:
    """A plain table: the first column is text, the others are numbers unless their `justify` is changed.

    Where a terminal is narrow, columns that may be `shortened`, which are text too, give way first.
    """
    made = FittingTable(
        title=title,
        title_justify="left",
        title_style="bold",
        min_width=len(title) + 2,
        box=box.SIMPLE_HEAD,
        header_style="dim",
        pad_edge=False,
    )
    for i, header in enumerate(columns):
        is_text = i == 0 or header in shortened
        made.add_column(
            header, justify="left" if is_text else "right", no_wrap=i > 0, min_width=0 if i else 12
        )
    made.shortened = frozenset(shortened)
    return made


def print_json(result: dict[str, Any]) -> None:
    """One JSON object."""
    click.echo(json.dumps(portable(result), indent=2, allow_nan=False))
