"""An answer of the explorer: its name, what is asked, and the function that gives it.

In views/NAME.py:    ANSWERS = (Answer("attention", AttentionAsked, give_attention),)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from mini_bert.explorer.question import Asked
from mini_bert.explorer.wire import Exact, exact

__all__ = ["Answer", "Exact", "File", "all_answers", "exact"]


class File(NamedTuple):
    """An answer that is to be saved: it travels as it is, under a name."""

    name: str
    kind: str
    content: bytes


class Answer(NamedTuple):
    """`give(desk, asked)` returns dicts, lists, texts, numbers and NumPy arrays; or a File.

    It must depend on nothing but what is asked: equal requests that are on their way at the same time share one.
    A ValueError that our code raises in it is told to whoever asked; in its long loops it calls `desk.go_on()`.
    """

    name: str
    asked: type[Asked]
    give: Callable[[Any, Any], Mapping[str, Any] | File]


def all_answers() -> dict[str, Answer]:
    """Those of all views, by name."""
    from mini_bert.explorer.views import VIEWS

    found: dict[str, Answer] = {}
    for view in VIEWS:
        for answer in import_module(f"mini_bert.explorer.views.{view}").ANSWERS:
            assert answer.name not in found, f"two answers are called {answer.name}"
            found[answer.name] = answer
    return found
