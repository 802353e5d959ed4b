"""The files of JSON in a packed model's folder, beside training.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mini_bert.files import write_atomically
from mini_bert.plain_json import portable
from mini_bert.pretrained.plain_names import without_folders

EVALUATION, MANIFEST = "evaluation.json", "corpus.json"


def read_json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{file}: {(error.strerror or str(error)).lower()}; name a file of JSON") from None
    except ValueError as error:
        raise ValueError(
            f"{file}: not JSON ({error}); name what a command wrote with --json, or a report.json"
        ) from None
    if not isinstance(found, dict):
        raise ValueError(f"{file}: expected one object with names; name what a command wrote with --json")
    return found


def read_if_there(file: Path) -> dict[str, Any]:
    return read_json(file) if file.is_file() else {}


def read_corpus(file: Path) -> dict[str, Any]:
    """A corpus.json, if it tells of at least one source what a card tells of it."""
    found = read_json(file)
    try:
        told = [
            (one["licence"], one["attribution"], one["train"]["documents"], one["train"]["characters"])
            for one in found["sources"].values()
        ]
    except (KeyError, TypeError, AttributeError):
        told = []
    if not told:
        raise ValueError(f"{file}: not a {MANIFEST}; mini-bert data build writes one")
    return found


def write_json(file: Path, content: dict[str, Any]) -> None:
    """Without the folders of this machine."""
    plain = json.dumps(portable(without_folders(content)), ensure_ascii=False, indent=1, allow_nan=False)
    write_atomically(file, f"{plain}\n".encode())
