"""Articles of Wikipedia as lines of JSON with a field "text": what WikiExtractor writes with --json, and data hubs too.

{"id": "12", "url": "...", "title": "Anarchism", "text": "Anarchism is ...\\nEtymology.\\n..."}
"""

import json
from collections.abc import Iterator
from pathlib import Path

from mini_bert.data.building.documents import SPACE, Document
from mini_bert.data.building.opening import Meter, lines_of
from mini_bert.plain_json import whole_characters

SHORTEST = 80
"""Characters; what is shorter is a heading, an item of a list or a rest of a table."""


def read_articles(path: Path, meter: Meter) -> Iterator[Document]:
    """Each article, a paragraph to a line; articles that have none are left out."""
    for number, line in enumerate(lines_of(path, meter), 1):
        if line.strip() and (paragraphs := tuple(prose(text_in(line, f"{path}:{number}")))):
            yield paragraphs


def text_in(line: str, where: str) -> str:
    try:
        record = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"{where}: not JSON ({error}); each line must be an article (WikiExtractor writes them with --json)"
        ) from error
    text = record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise ValueError(f'{where}: no text in it; each line must be an object like {{"text": "..."}}')
    return whole_characters(text)[0]


def prose(text: str) -> Iterator[str]:
    for line in text.splitlines():
        paragraph = SPACE.sub(" ", line).strip()
        if len(paragraph) >= SHORTEST:
            yield paragraph
