"""Where `mini-bert tokenizer train` may write: asked before the work begins, so that no text of a user is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mini_bert.data.corpus import is_a_name
from mini_bert.data.sources import STDIN
from mini_bert.data.text_files import found
from mini_bert.tokenizers.destination import CONFIG, PLAIN, files_written
from mini_bert.tokenizers.files import load_tokenizer


def checked_place(out: str, model: str, sources: Sequence[str]) -> Path:
    """The path, if a tokenizer with this model can be saved there and nothing but a vocabulary is overwritten."""
    if not out:
        raise ValueError("--out is empty; name a folder, or . for this one")
    place = Path(out).expanduser()
    files = files_written(place, [name for name, reader in PLAIN.items() if reader == model])
    folders, texts = folders_and_texts(sources)
    for folder in folders:
        if folder.resolve() in (place.resolve(), *place.resolve().parents):
            raise ValueError(
                f"--out {out}: lies within {folder}, and would be read as text the next time; choose a place"
                " outside of what you learn from"
            )
    for name, file in files.items():
        if not file.exists():
            continue
        if any(os.path.samefile(file, text) for text in texts):
            raise ValueError(
                f"--out {out}: {file} is a text that you learn from, and would be lost; choose another"
            )
        if name != CONFIG and not is_a_vocabulary(file):
            raise ValueError(
                f"--out {out}: {file} is there and not a vocabulary that can be read; choose another place, or"
                " remove it first"
            )
    return place


def folders_and_texts(sources: Iterable[str]) -> tuple[list[Path], list[Path]]:
    """The folders among the sources, and all files that the sources name."""
    paths = [Path(source).expanduser() for source in sources if is_written_by_user(source)]
    return [path for path in paths if path.is_dir()], [*texts_of(paths)]


def texts_of(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.exists() or any(sign in str(path) for sign in "*?["):
            yield from found(path)


def is_written_by_user(source: str) -> bool:
    return source != str(STDIN) and not is_a_name(source)


def is_a_vocabulary(file: Path) -> bool:
    try:
        load_tokenizer(file)
    except ValueError:
        return False
    return True
