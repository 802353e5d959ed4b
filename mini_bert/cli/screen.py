"""Where commands write: results to standard output, the state of long work to standard error."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 110


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """A console as wide as the terminal, or wide enough for every table where there is none."""
    found = Console(stderr=stderr, quiet=quiet, highlight=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found.width = PIPE_WIDTH
    return found


def table(title: str, *columns: str) -> Table:
    """A plain table: the first column is text, the others are numbers unless their `justify` is changed."""
    made = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        min_width=len(title) + 2,
        box=box.SIMPLE_HEAD,
        header_style="dim",
        pad_edge=False,
    )
    for i, header in enumerate(columns):
        made.add_column(header, justify="right" if i else "left", no_wrap=i > 0, min_width=0 if i else 12)
    return made


def print_json(result: dict[str, Any]) -> None:
    """One JSON object; what is not a finite number has no JSON and becomes null."""
    click.echo(json.dumps(finite(result), indent=2, allow_nan=False))


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
