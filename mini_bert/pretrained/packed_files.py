"""The files of JSON in a packed model's folder, beside training.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mini_bert.files import write_atomically
from mini_bert.plain_json import portable
from mini_bert.pretrained.plain_names import without_folders

EVALUATION, MANIFEST = "evaluation.json", "corpus.json"
WRITTEN_BY_A_COMMAND = "name what a command wrote with --json, or a report.json"
WRITTEN_BY_BUILD = "mini-bert data build writes one"
NONE_HELD_OUT = {"documents": 0, "characters": 0}


def read_json(file: Path, remedy: str = WRITTEN_BY_A_COMMAND) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{file}: {(error.strerror or str(error)).lower()}; name a file of JSON") from None
    except ValueError as error:
        raise ValueError(f"{file}: not JSON ({error}); {remedy}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{file}: expected one object with names; {remedy}")
    return found


def read_if_there(file: Path, remedy: str = WRITTEN_BY_A_COMMAND) -> dict[str, Any]:
    return read_json(file, remedy) if file.is_file() else {}


@contextmanager
def damage_told(place: Path | str, remedy: str) -> Iterator[None]:
    """Inside, whatever is missing or of another kind than expected is told of with the place that has it."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{place}: {error} is missing; {remedy}") from error
    except (TypeError, AttributeError, IndexError, ValueError) as error:
        raise ValueError(f"{place}: damaged ({error}); {remedy}") from error


def read_corpus(file: Path) -> dict[str, Any]:
    """A corpus.json, if it tells of at least one source what a card tells of it."""
    found = read_json(file, WRITTEN_BY_BUILD)
    sources = found.get("sources")
    if not isinstance(sources, dict) or not sources or not all(map(is_source, sources.values())):
        raise ValueError(f"{file}: not a {MANIFEST}; {WRITTEN_BY_BUILD}")
    return found


def is_source(one: Any) -> bool:
    """Whether this tells of a source what a card tells of it."""
    if not isinstance(one, dict):
        return False
    names, held_out = [one.get("licence"), one.get("attribution")], one.get("held_out") or NONE_HELD_OUT
    return (
        all(isinstance(name, str) for name in names) and is_counted(one.get("train")) and is_counted(held_out)
    )


def is_counted(text: Any) -> bool:
    return isinstance(text, dict) and all(
        isinstance(text.get(key), int) for key in ("documents", "characters")
    )


def weights_told(result: Mapping[str, Any]) -> Any:
    """The digest of the weights that a result is of; None if it does not say."""
    model = result.get("model")
    return result.get("weights") or (model.get("weights") if isinstance(model, Mapping) else None)


def write_json(file: Path, content: dict[str, Any]) -> None:
    """Without the folders of this machine."""
    plain = json.dumps(portable(without_folders(content)), ensure_ascii=False, indent=1, allow_nan=False)
    write_atomically(file, f"{plain}\n".encode())
