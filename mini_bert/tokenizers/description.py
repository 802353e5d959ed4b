"""A tokenizer.json, read with care: what is missing or of another kind is named with its place in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

Kind = TypeVar("Kind")

NAMES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


class Description:
    """One object of the file: `origin` is the file's name, `place` the way to the object (model.vocab)."""

    def __init__(self, content: Any, origin: str, place: str = "") -> None:
        self.origin, self.place = origin, place
        if not isinstance(content, Mapping):
            raise self.error(f"expected an object, found {type(content).__name__}")
        self.content: Mapping[str, Any] = content

    def error(self, what: str, name: str = "") -> ValueError:
        """An error that says where in the file."""
        where = ".".join(part for part in (self.place, name) if part)
        return ValueError(
            f"{self.origin}{f', {where}' if where else ''}: {what}; fetch or save the file again"
        )

    def unsupported(self, name: str, found: object, supported: Sequence[str]) -> ValueError:
        """An error for a file that may be sound, but of a kind that is not ours."""
        where = ".".join(part for part in (self.place, name) if part)
        return ValueError(
            f"{self.origin}, {where}: {found} is not supported here; only {' or '.join(supported)}"
        )

    def text(self, name: str, default: str | None = None) -> str:
        return self._value(name, str, default)

    def integer(self, name: str, default: int | None = None) -> int:
        return self._value(name, int, default)

    def flag(self, name: str, default: bool | None = None) -> bool:
        return self._value(name, bool, default)

    def items(self, name: str) -> list[Any]:
        return self._value(name, list, None)

    def mapping(self, name: str) -> dict[str, Any]:
        return self._value(name, dict, None)

    def part(self, name: str) -> Description | None:
        """An object inside; None where it is missing or null."""
        content = self.content.get(name)
        return None if content is None else Description(content, self.origin, self._inside(name))

    def needed_part(self, name: str) -> Description:
        found = self.part(name)
        if found is None:
            raise self.error("missing", name)
        return found

    def part_of_type(self, name: str, *supported: str) -> Description:
        """An object inside that says it is of one of these types; null may be sound, but is not ours."""
        found = self.part(name)
        if found is None:
            raise self.unsupported(name, "null", supported)
        if (kind := found.text("type")) not in supported:
            raise found.unsupported("type", kind, supported)
        return found

    def parts(self, name: str) -> list[Description]:
        """A list of objects inside."""
        place = self._inside(name)
        return [
            Description(item, self.origin, f"{place}[{index}]") for index, item in enumerate(self.items(name))
        ]

    def _inside(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def _value(self, name: str, kind: type[Kind], default: Kind | None) -> Kind:
        value = self.content.get(name)
        if value is None:
            if default is None:
                raise self.error("missing", name)
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(f"expected {NAMES[kind]}, found {type(value).__name__}", name)
        return value


def read_description(path: Path) -> Description:
    try:
        content = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error}); fetch or save the file again") from None
    return Description(content, str(path))


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ValueError(
            f"{path}: no such vocabulary; check the path, or make one with a tokenizer's"
            f" train(texts).save({str(path.parent)!r}) or `mini-bert tokenizer train`"
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None
