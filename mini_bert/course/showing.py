"""Numbers as messages show them: small arrays in full, large ones by shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

FEW = 24
WIDTH = 70


def shown(value: Any) -> str:
    """One value in a few lines at most."""
    if isinstance(value, np.ndarray):
        if value.size > FEW:
            return f"an array of shape {value.shape}, {value.dtype}"
        return np.array2string(value, precision=4, suppress_small=True, max_line_width=WIDTH)
    if isinstance(value, np.generic):
        return repr(value.item())
    text = repr(value)
    if isinstance(value, dict) and value and all(isinstance(one, np.ndarray) for one in value.values()):
        text = "a dict of arrays: " + ", ".join(f"{name} {array.shape}" for name, array in value.items())
    return text if len(text) <= 4 * WIDTH else f"{text[: 4 * WIDTH]} …"


def named(name: str, value: Any) -> str:
    """`name = value`, the lines of an array below each other."""
    head = f"  {name} = "
    lines = (line for line in shown(value).splitlines() if line.strip())
    return head + f"\n{' ' * len(head)}".join(lines)


def told_input(given: Mapping[str, Any]) -> str:
    return "\n".join(named(name, value) for name, value in given.items())


def both(want: Any, got: Any) -> str:
    return f"{named('expected', want)}\n{named('     got', got)}"


def place(index: tuple[Any, ...]) -> str:
    """
    >>> place((0, 2)), place(())
    ('at [0, 2]', '')
    """
    return f"at [{', '.join(str(int(i)) for i in index)}]" if index else ""
