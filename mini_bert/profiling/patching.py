"""Names that mean something else for a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Patch(NamedTuple):
    """`owner.name`, a module's or class's own, shall be `value`."""

    owner: Any
    name: str
    value: Any


@contextmanager
def patched(patches: Iterable[Patch]) -> Iterator[None]:
    """All patches while inside; whatever happens, everything is as it was afterwards.

    What is patched is patched for all threads.
    """
    before: list[Patch] = []
    try:
        for owner, name, value in patches:
            before.append(Patch(owner, name, vars(owner)[name]))
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in reversed(before):
            setattr(owner, name, value)
