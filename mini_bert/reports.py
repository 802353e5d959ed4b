"""Reports of progress: long work tells how far it has come, and does not care who listens."""

from collections.abc import Callable

Report = Callable[[float, str], None]
"""report(share that is done, what can be said of it)"""


def silent(done: float, note: str) -> None:
    """The report to nobody."""


def part(report: Report, start: float, end: float) -> Report:
    """A report of a part of the work, which lasts from `start` to `end` of the whole."""
    return lambda done, note: report(start + (end - start) * done, note)
