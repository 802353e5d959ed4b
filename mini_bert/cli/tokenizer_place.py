"""Where `mini-bert tokenizer train` may write: asked before the work begins, so that no text of a user is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mini_bert.data.corpus import is_a_name
from mini_bert.data.sources import STDIN
from mini_bert.data.text_files import found
from mini_bert.models.checkpoint import CONFIG as MODEL_CONFIG
from mini_bert.tokenizers.destination import CONFIG, JSON, PLAIN, files_written
from mini_bert.tokenizers.files import load_tokenizer

READ_WITH_MODEL = (JSON, CONFIG, *PLAIN)
WEIGHTS = "*.safetensors"


def checked_place(out: str, model: str, sources: Sequence[str], replace: bool) -> Path:
    """The path, if a tokenizer with this model can be saved there. What is overwritten is a vocabulary that no model
    needs, and only if it may be replaced."""
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
    there = {name: file for name, file in files.items() if file.exists()}
    for name, file in there.items():
        if any(os.path.samefile(file, text) for text in texts):
            raise ValueError(
                f"--out {out}: {file} is a text that you learn from, and would be lost; choose another"
            )
        if name != CONFIG and not is_a_vocabulary(file):
            raise ValueError(
                f"--out {out}: {file} is there and not a vocabulary that can be read; choose another place, or"
                " remove it first"
            )
    refuse_folder_of_model(out, files.values())
    if there and not replace:
        raise ValueError(
            f"--out {out}: {next(iter(there.values()))} is there already; choose another place, or --replace it"
        )
    return place


def refuse_folder_of_model(out: str, files: Iterable[Path]) -> None:
    """A model's vocabulary belongs to its weights; a file that no reader of models looks for may lie beside them."""
    for folder in {file.parent for file in files if file.name in READ_WITH_MODEL}:
        for part in (folder / MODEL_CONFIG, *sorted(folder.glob(WEIGHTS))):
            if part.is_file():
                raise ValueError(
                    f"--out {out}: {part} is a model's, which no longer loads with another vocabulary; choose another"
                    " place"
                )


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
