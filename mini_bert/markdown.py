"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def aligned_table(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Columns that are `numeric` are aligned to the right.

    >>> print(aligned_table(["unit", "loss"], [["a|b", "6.0"]], [False, True]))
    | unit | loss |
    | --- | ---: |
    | a\\|b | 6.0 |
    """
    rule = ["---:" if number else "---" for number in numeric]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |"
        for line in (header, rule, *rows)
    )
