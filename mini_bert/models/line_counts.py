"""How many lines of code a member of the family takes: its builder, and the parts that came with it."""

from __future__ import annotations

import ast
import inspect
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import Any

from mini_bert.models.zoo import Member

NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Lines:
    """`code` leaves out empty lines, comments and docstrings; `written` counts all."""

    code: int = 0
    written: int = 0

    def __add__(self, other: Lines) -> Lines:
        return Lines(self.code + other.code, self.written + other.written)


def lines_of_member(member: Member) -> dict[str, Lines]:
    """The lines of the builder and of each part of its own, by name."""
    builder = f"{member.build.__module__.removeprefix('mini_bert.')}:{member.build.__name__}"
    return {name: lines_of(found(name)) for name in (builder, *member.parts)}


def found(name: str) -> Any:
    """What is called `module:object`, or `module`, in this package."""
    module, _, attribute = name.partition(":")
    whole = import_module(f"mini_bert.{module}")
    return getattr(whole, attribute) if attribute else whole


def lines_of(thing: Any) -> Lines:
    """The lines of a class, function or module."""
    return counted_lines(inspect.getsource(thing))


def counted_lines(source: str) -> Lines:
    """The lines of a text that is Python.

    >>> counted_lines('def f(x):' + chr(10) + '    # twice' + chr(10) + '    return 2 * x')
    Lines(code=2, written=3)
    """
    tree = ast.parse(source)
    told = {line for start, end in docstrings(tree) for line in range(start, end + 1)}
    code = {
        line
        for token in tokenize.generate_tokens(StringIO(source).readline)
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return Lines(len(code - told), len(source.splitlines()))


def docstrings(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last line of each string that stands alone as a statement: docstrings, and those below a name."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.end_lineno or node.lineno
