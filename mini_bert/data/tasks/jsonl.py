"""JSON objects, one per line, with the text fields a reader asks for."""

import json
from collections.abc import Iterator

from mini_bert.data.tasks.lines import Line, Source, lines


def read_fields(source: Source, *names: str) -> Iterator[tuple[Line, list[str]]]:
    """Each line with the named fields of its object."""
    for line in lines(source):
        record = _record(line)
        yield line, [_text(record, name, line) for name in names]


def _record(line: Line) -> dict[str, object]:
    try:
        record = json.loads(line.text)
    except (ValueError, RecursionError) as problem:
        raise line.error(f"not JSON ({problem})", "write one object per line") from None
    if not isinstance(record, dict):
        raise line.error("not a JSON object", 'write one object per line: {"name": "text"}')
    return record


def _text(record: dict[str, object], name: str, line: Line) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        has = ", ".join(record) or "nothing"
        raise line.error(f"no text in field {name!r}", f"the object has {has}")
    return value
