"""Shares of one as bars of text."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from mini_bert.cli.units import percent

EIGHTHS = " ▏▎▍▌▋▊▉█"
LONGEST_BAR, LONGEST_NAME = 36, 24
GAP = 2


def bar(share: float, width: int) -> str:
    """A bar as long as its share of the width, to an eighth of a letter; what is there at all shows.

    >>> bar(0.5, 4), bar(1.0, 4), bar(0.001, 4), bar(0.0, 4)
    ('██', '████', '▏', '')
    """
    whole, eighths = divmod(round(8 * width * share), 8)
    if share > 0 and not whole and not eighths:
        eighths = 1
    return EIGHTHS[-1] * whole + EIGHTHS[eighths].strip()


def bars(shares: Sequence[tuple[str, float]], room: int) -> Table:
    """A name, its share as a bar, and in percent; where there is little room bars give way first, then names."""
    told = max(len(percent(share)) for _, share in shares)
    most = max(1, min(LONGEST_NAME, room - told - GAP))
    longest = min(max(cell_len(name) for name, _ in shares), most)
    width = min(room - longest - told - 2 * GAP, LONGEST_BAR)
    made = Table.grid(padding=(0, GAP))
    made.add_column(no_wrap=True, overflow="ellipsis", max_width=most)
    if width > 0:
        made.add_column(no_wrap=True)
    made.add_column(justify="right", no_wrap=True, min_width=told)
    for name, share in shares:
        drawn = [Text(bar(share, width).ljust(width), "cyan")] if width > 0 else []
        made.add_row(Text(name), *drawn, percent(share))
    return made
