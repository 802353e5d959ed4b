"""Tokenizers in files: HuggingFace's tokenizer.json, and the plain files that came before it.

    tokenizer.save("folder")                  tokenizer.json, tokenizer_config.json and the plain files
    tokenizer.save("some/tokenizer.json")     that file alone
    load_tokenizer("folder")                  WordPiece, byte-level BPE or Unigram, as the files say

A pickle is refused, not read: loading one may run any code that its author put there.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mini_bert.files import write_atomically
from mini_bert.tokenizers.description import Description

if TYPE_CHECKING:
    from mini_bert.tokenizers.tokenizer import Tokenizer

JSON, CONFIG = "tokenizer.json", "tokenizer_config.json"
CLASSES = {
    "WordPiece": ("mini_bert.tokenizers.wordpiece", "WordPieceTokenizer"),
    "BPE": ("mini_bert.tokenizers.bpe", "ByteLevelBPETokenizer"),
    "Unigram": ("mini_bert.tokenizers.unigram", "UnigramTokenizer"),
}
PLAIN = {"vocab.txt": "WordPiece", "vocab.json": "BPE", "merges.txt": "BPE"}
"""Files from before tokenizer.json, and the model that reads them."""


def save_tokenizer(tokenizer: Tokenizer, path: Path) -> Path:
    """Write one file if the path has an ending, else a folder with all of them; return the path."""
    refuse_pickles(path)
    whole = json.dumps(tokenizer.to_json(), ensure_ascii=False, indent=1).encode(errors="surrogatepass")
    plain = tokenizer.plain_files()
    if path.suffix == ".json" and not path.name.endswith("vocab.json"):
        contents = {path: whole}
    elif path.suffix in {".txt", ".json"}:
        kind = next((name for name in plain if path.suffix == Path(name).suffix), None)
        if kind is None or len(plain) > 1:
            raise ValueError(
                f"{path}: a {type(tokenizer).__name__} is not written as such a file;"
                f" save it to a folder or to {path.with_name(JSON)}"
            )
        contents = {path: plain[kind]}
    else:
        config = json.dumps(huggingface_config(tokenizer), indent=1).encode()
        contents = {path / name: content for name, content in {JSON: whole, CONFIG: config, **plain}.items()}
    for file, content in contents.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, content)
    return path


def load_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """Read a folder or a file; a tokenizer.json comes before the plain files beside it."""
    path = Path(path)
    refuse_pickles(path)
    file = path
    if not path.is_file() and path.suffix not in {".json", ".txt"}:
        file = next((path / name for name in (JSON, *PLAIN) if (path / name).is_file()), path / JSON)
    if (model := next((PLAIN[name] for name in PLAIN if file.name.endswith(name)), None)) is None:
        if file.suffix != ".json":
            model = "WordPiece"
        else:
            description = read_description(file)
            kind = description.needed_part("model").text("type", "BPE")
            if kind not in CLASSES:
                raise description.needed_part("model").unsupported("type", kind, list(CLASSES))
            return class_of(kind).from_json(description)
    return class_of(model).from_plain_files(file)


def class_of(model: str) -> type[Tokenizer]:
    module, name = CLASSES[model]
    found: type[Tokenizer] = getattr(import_module(module), name)
    return found


def read_description(path: Path) -> Description:
    try:
        content = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error}); fetch or save the file again") from None
    return Description(content, str(path))


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValueError(
            f"{path}: no such vocabulary; check the path, or make one with a tokenizer's"
            f" train(texts).save({str(path.parent)!r}) or `mini-bert tokenizer train`"
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None


def refuse_pickles(path: Path) -> None:
    if path.suffix.lower() in {".pkl", ".pickle", ".model"}:
        raise ValueError(
            f"{path}: a vocabulary is read from and written to text files only, never a pickle, which may run"
            f" code when loaded, nor a SentencePiece model; use {path.with_name(JSON)}"
        )


def huggingface_config(tokenizer: Tokenizer) -> dict[str, Any]:
    """What `transformers` wants to know beside tokenizer.json."""
    roles = tokenizer.roles
    named = {"pad": roles.pad, "unk": roles.unk, "cls": roles.cls, "sep": roles.sep, "mask": roles.mask}
    ends = {"bos": roles.cls or roles.end, "eos": roles.end} if roles.end else {}
    tokens = {f"{role}_token": token for role, token in {**named, **ends}.items() if token is not None}
    segments = {segment for _, segment in tokenizer.frame.pair}
    inputs = ["input_ids", *(["token_type_ids"] if len(segments) > 1 else []), "attention_mask"]
    return {"tokenizer_class": "PreTrainedTokenizerFast", "model_input_names": inputs, **tokens}
