"""Tokenizers in files: HuggingFace's tokenizer.json, and the plain files that came before it.

    tokenizer.save("folder")                  tokenizer.json, tokenizer_config.json and the plain files
    tokenizer.save("some/tokenizer.json")     that file alone
    load_tokenizer("folder")                  WordPiece, byte-level BPE or Unigram, as the files say

A pickle is refused, not read: loading one may run any code that its author put there.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from mini_bert.files import write_atomically
from mini_bert.tokenizers.description import Description, read_description
from mini_bert.tokenizers.destination import CONFIG, JSON, PLAIN, files_written, left_behind, refuse_pickles
from mini_bert.tokenizers.notices import warn_caller
from mini_bert.tokenizers.tokenizer_config import config_beside, huggingface_config, padding_in

if TYPE_CHECKING:
    from mini_bert.tokenizers.tokenizer import Tokenizer

CLASSES = {
    "WordPiece": ("mini_bert.tokenizers.wordpiece", "WordPieceTokenizer"),
    "BPE": ("mini_bert.tokenizers.bpe", "ByteLevelBPETokenizer"),
    "Unigram": ("mini_bert.tokenizers.unigram", "UnigramTokenizer"),
}


def save_tokenizer(tokenizer: Tokenizer, path: Path, *, max_length: int | None = None) -> Path:
    """Write one file if the path has an ending, else a folder with all of them; return the path.

    `max_length` tokens are what the model beside it reads; None: there is none.
    """
    plain = tokenizer.plain_files()
    files = files_written(path, plain)
    whole = json.dumps(tokenizer.to_json(), ensure_ascii=False, indent=1).encode(errors="surrogatepass")
    limit = {} if max_length is None else {"model_max_length": max_length}
    config = json.dumps(huggingface_config(tokenizer) | limit, indent=1).encode()
    contents = {JSON: whole, CONFIG: config, **plain}
    for name, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, contents[name])
    if path.is_dir():
        for name in left_behind(path, plain):
            (path / name).unlink()
    elif path.suffix == ".txt" and load_tokenizer(path).fingerprint() != tokenizer.fingerprint():
        warn_caller(
            f"{path}: holds the pieces, but not what is done with case, accents, spaces and added tokens; save to a"
            f" folder or to {path.with_name(JSON)}, or else load it with the same settings (load(..., lowercase=False))"
        )
    return path


def load_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """Read a folder or a file; a tokenizer.json comes before the plain files beside it.

    A tokenizer_config.json beside the file tells the side of padding, and what plain files cannot hold. The
    `truncation` and `padding` of a tokenizer.json are not kept: say max_length and pad_to when you encode.
    """
    path = Path(path)
    refuse_pickles(path)
    file = path
    if not path.is_file() and path.suffix not in {".json", ".txt"}:
        file = next((path / name for name in (JSON, *PLAIN) if (path / name).is_file()), path / JSON)
    tokenizer = read_tokenizer(file)
    padding = padding_in(config_beside(file), tokenizer.frame.padding)
    tokenizer.frame = replace(tokenizer.frame, padding=padding)
    return tokenizer


def has_tokenizer(folder: Path) -> bool:
    """Whether a folder holds one that can be loaded."""
    return any((folder / name).is_file() for name in (JSON, *PLAIN))


def read_tokenizer(file: Path) -> Tokenizer:
    if (model := next((PLAIN[name] for name in PLAIN if file.name.endswith(name)), None)) is None:
        if file.suffix != ".json":
            model = "WordPiece"
        else:
            description = read_description(file)
            return class_of(model_kind(description.needed_part("model"))).from_json(description)
    return class_of(model).from_plain_files(file)


def model_kind(model: Description) -> str:
    """The type of a model; one from before types were written is known by what it has."""
    found = model.content
    if found.get("type") is not None:
        kind = model.text("type")
    elif "merges" in found:
        kind = "BPE"
    elif isinstance(found.get("vocab"), list):
        kind = "Unigram"
    else:
        kind = "WordPiece" if "continuing_subword_prefix" in found else "a model without a type"
    if kind not in CLASSES:
        raise model.unsupported("type", kind, list(CLASSES))
    return kind


def class_of(model: str) -> type[Tokenizer]:
    module, name = CLASSES[model]
    found: type[Tokenizer] = getattr(import_module(module), name)
    return found
