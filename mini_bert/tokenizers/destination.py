"""Where a tokenizer is saved: which files are written there, and whether they can be; asked before it is learned."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

JSON, CONFIG = "tokenizer.json", "tokenizer_config.json"
PLAIN = {"vocab.txt": "WordPiece", "vocab.json": "BPE", "merges.txt": "BPE"}
"""Files from before tokenizer.json, and the model that reads them."""

LONGEST_ENDING = 5
"""books.csv is meant to be a file; bert.v2 and my.vocabulary are good names of folders."""


def files_written(path: Path, plain: Collection[str]) -> dict[str, Path]:
    """The files, by their customary names: one if the path has an ending, else a folder with all of them.

    `plain` names the plain files that can hold the tokenizer. ValueError if nothing can be written there.
    """
    refuse_pickles(path)
    check_way_to(path)
    if path.is_dir():
        pass
    elif path.suffix == ".json" and not path.name.endswith("vocab.json"):
        return {JSON: path}
    elif path.suffix in {".txt", ".json"}:
        if len(plain) != 1 or path.suffix not in next(iter(plain)):
            raise ValueError(
                f"{path}: a tokenizer of this kind is not written as such a file;"
                f" save it to a folder or to {path.with_name(JSON)}"
            )
        return dict.fromkeys(plain, path)
    elif path.suffix[1:].isalpha() and len(path.suffix) <= LONGEST_ENDING:
        raise ValueError(
            f"{path}: a tokenizer is not written as a {path.suffix} file; save it to a folder,"
            f" {path.with_suffix('')}, or to {path.with_suffix('.json')}"
        )
    others = [path / name for name in left_behind(path, plain)]
    if others and not (path / JSON).is_file():
        raise ValueError(
            f"{others[0]}: belongs to a tokenizer of another kind; remove it, or choose another folder"
        )
    return {name: path / name for name in (JSON, CONFIG, *plain)}


def left_behind(folder: Path, plain: Collection[str]) -> list[str]:
    """Plain files of another kind of tokenizer, which would be taken for this one's."""
    return [name for name in PLAIN if name not in plain and (folder / name).is_file()]


def check_way_to(path: Path) -> None:
    """Raise ValueError unless the folders on the way are folders, or can be made, and the last may be written."""
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    is_file_to_replace = there == path and path.suffix in {".txt", ".json"}
    if not there.is_dir() and not is_file_to_replace:
        raise ValueError(f"{path}: {there} is a file, not a folder; choose another place")
    if not os.access(there, os.W_OK):
        raise ValueError(f"{path}: {there} may not be written; choose another place")


def refuse_pickles(path: Path) -> None:
    if path.suffix.lower() in {".pkl", ".pickle", ".model"}:
        raise ValueError(
            f"{path}: a vocabulary is read from and written to text files only, never a pickle, which may run"
            f" code when loaded, nor a SentencePiece model; use {path.with_name(JSON)}"
        )
