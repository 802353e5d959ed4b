"""Which call gave this result? So a message can say what was called, and on which input, by itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEPT = 64
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True)
class Call:
    """One call of a learner's function, with its arguments as they were before."""

    name: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


_recent: deque[tuple[Any, str, Call]] = deque(maxlen=KEPT)


def remember(call: Call, result: Any) -> None:
    """A result is known again by its identity, and so are the parts of a tuple."""
    _recent.appendleft((result, str(call), call))
    if isinstance(result, tuple):
        for ordinal, part in zip(ORDINALS, result, strict=False):
            _recent.appendleft((part, f"the {ordinal} result of {call}", call))


def origin_of(result: Any) -> tuple[str, Call] | None:
    """What the result is called, and the latest call that gave it."""
    return next(((told, call) for found, told, call in _recent if found is result), None)


def forget() -> None:
    _recent.clear()
