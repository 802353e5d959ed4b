"""A corpus.json is of the text that a model has read, or is refused: its card would name false sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from mini_bert.pretrained.packed_files import MANIFEST
from mini_bert.pretrained.sources import Sources
from mini_bert.pretrained.stages import Record, stages_of

COUNTED_UNIT = "paragraph"
"""What `mini-bert data build` writes a document as, and counts."""


def manifest_of_text(record: Record, given: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Of a corpus.json what is of the text of the last stage: all its sources, or those whose files that names.

    Their documents must be as many as were read; where nobody knows how many, or they were cut otherwise, all is taken.
    """
    settings, text = record.get("settings") or {}, stages_of(record)[-1]["text"]
    sources, read = given["sources"], text.get("documents")
    if read is None or settings.get("unit", COUNTED_UNIT) != COUNTED_UNIT:
        return dict(given)
    for names in (list(sources), sources_named(sources, settings.get("corpus") or ())):
        if documents_in(sources, names) == read:
            return {**given, "sources": {name: sources[name] for name in names}}
    raise ValueError(
        f"{file}: tells of {documents_in(sources, sources):,} documents ({', '.join(sources)}), and the model read "
        f"{read:,} ({text.get('corpus')}); give the {MANIFEST} of that text, or leave --corpus out"
    )


def documents_in(sources: Sources, names: Iterable[str]) -> int:
    return sum(sources[name]["train"]["documents"] for name in names)


def sources_named(sources: Sources, texts: Sequence[str]) -> list[str]:
    """Those whose files are among texts, which may be patterns.

    >>> files = {name: {"train": {"file": f"train/{name}.txt.gz"}} for name in ("books", "tales", "tatoeba")}
    >>> sources_named(files, ["corpus/train/ta*.gz"]), sources_named(files, ["books.txt.gz", "world"])
    (['tales', 'tatoeba'], ['books'])
    """
    patterns = [re.split(r"[\\/]", text)[-1] for text in texts]
    files = {name: str(one["train"].get("file", "")).rpartition("/")[-1] for name, one in sources.items()}
    return [name for name, file in files.items() if any(fnmatchcase(file, each) for each in patterns)]
