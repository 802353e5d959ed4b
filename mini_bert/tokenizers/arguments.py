"""What callers pass, checked where a mistake would otherwise show up late and in strange words."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any


def checked_text(text: Any, caller: str) -> str:
    if not isinstance(text, str):
        raise ValueError(f"{caller}: expected a text, a str, found {type(text).__name__}; convert it")
    return text


def checked_texts(texts: Any, caller: str) -> Iterable[str]:
    """Several texts; a single string, whose letters would be taken for them, is not meant."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise ValueError(f"{caller}: expected several texts, found one {type(texts).__name__}; pass a list")
    return texts


def checked_ids(ids: Any) -> list[int]:
    """One row of ids, as a list or an array."""
    if not isinstance(ids, Iterable) or isinstance(ids, str):
        raise ValueError(f"decode: expected a list of ids, found {type(ids).__name__}; pass [id, ...]")
    found = list(ids)
    for index in found:
        if type(index) is not int and not isinstance(index, Integral):
            raise ValueError(
                f"decode: expected whole numbers, found {type(index).__name__} ({str(index)[:40]});"
                " decode one row of ids at a time, and convert other numbers with int"
            )
    return found


def check_vocab_size(vocab_size: Any) -> None:
    if not isinstance(vocab_size, Integral) or isinstance(vocab_size, bool):
        raise ValueError(f"vocab_size={vocab_size!r}: expected a whole number; choose one such as 8192")
