"""How far long work has come: a live bar in a terminal, a line now and then where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from mini_bert.cli.screen import console
from mini_bert.cli.units import clock
from mini_bert.reports import Report

REDRAW_SECONDS = 0.1
LINE_SECONDS = 5.0
TOO_EARLY_TO_SAY = 0.01
"""Below this share of what was to do, the time that is left cannot be foretold."""


@contextmanager
def progress(title: str, begun: float = 0.0) -> Iterator[Report]:
    """Shows `title` and what is reported, on standard error; reports may come as often as they like.

    `begun` is the share that was done before, which took none of the time since now.
    """
    screen = console(stderr=True)
    if screen.is_terminal and not screen.is_dumb_terminal:
        with live_bar(title, screen) as report:
            yield seldom(report, REDRAW_SECONDS)
    else:
        yield seldom(plain_lines(title, screen, begun), LINE_SECONDS)


@contextmanager
def live_bar(title: str, screen: Console) -> Iterator[Report]:
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, min_width=len(title))),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:>3.0f} %", table_column=Column(no_wrap=True, min_width=len("100 %"))),
        TimeRemainingColumn(compact=True),
        TextColumn("[dim]{task.fields[note]}"),
    )
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(title, total=1.0, note="")
        yield lambda done, note: bar.update(task, completed=done, note=note)


def plain_lines(title: str, screen: Console, begun: float = 0.0) -> Report:
    start = perf_counter()

    def report(done: float, note: str) -> None:
        known = done - begun >= TOO_EARLY_TO_SAY * (1 - begun)
        left = f"  {clock((perf_counter() - start) * (1 - done) / (done - begun))} left" if known else ""
        screen.out(f"{title} {done:4.0%}{left}  {note}")

    return report


def seldom(report: Report, seconds: float) -> Report:
    """The same report, but not sooner than `seconds` after the last one."""
    last = perf_counter()

    def sparing(done: float, note: str) -> None:
        nonlocal last
        if perf_counter() - last >= seconds:
            last = perf_counter()
            report(done, note)

    return sparing
