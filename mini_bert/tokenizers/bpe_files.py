"""Byte-level BPE in files: the parts of a tokenizer.json, or vocab.json and merges.txt beside each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mini_bert.tokenizers.byte_symbols import BYTE_SYMBOLS
from mini_bert.tokenizers.description import Description, read_description, read_text
from mini_bert.tokenizers.frame import NO_FRAME, Frame
from mini_bert.tokenizers.trimming import Trimming
from mini_bert.tokenizers.vocabulary import joined_vocabulary

VOCAB, MERGES = "vocab.json", "merges.txt"
VERSION = "#version: 0.2"

Pairs = list[tuple[str, str]]


def model_of(description: Description) -> tuple[list[str], Pairs]:
    """The vocabulary and the merges of a tokenizer.json."""
    model = description.needed_part("model")
    for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges"):
        if model.content.get(name):
            raise model.unsupported(name, model.content[name], ["null"])
    vocab = joined_vocabulary(model.mapping("vocab"), description.parts("added_tokens"), model)
    merges: Pairs = []
    for number, item in enumerate(model.items("merges")):
        pair = item.split(" ") if isinstance(item, str) else item
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) and p for p in pair)):
            raise model.error(f"{item!r} is no pair of pieces", f"merges[{number}]")
        merges.append((pair[0], pair[1]))
    return vocab, merges


def model_json(ids: Mapping[str, int], merges: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The model of a tokenizer.json."""
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
        "fuse_unk": False,
        "byte_fallback": False,
        "vocab": ids,
        "merges": [" ".join(pair) for pair in merges],
    }


def adds_prefix_space(description: Description) -> bool:
    """Whether the pre-tokenizer puts a space before a text."""
    cutter = description.part_of_type("pre_tokenizer", "ByteLevel")
    if not cutter.flag("use_regex", True):
        raise cutter.unsupported("use_regex", "false", ["true"])
    return cutter.flag("add_prefix_space", True)


def processors_of(description: Description) -> tuple[Frame, Trimming]:
    """The frame of the post-processor, and what it does with offsets: one part may do both, or one each."""
    part = description.part("post_processor")
    steps = [] if part is None else part.parts("processors") if part.text("type") == "Sequence" else [part]
    frame, trimming = NO_FRAME, Trimming(trims=False)
    for step in steps:
        kind = step.text("type")
        if kind in ("ByteLevel", "RobertaProcessing"):
            trimming = Trimming.from_json(step)
        if kind != "ByteLevel":
            frame = Frame.from_json(step)
    return frame, trimming


def plain_files(ids: Mapping[str, int], merges: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    lines = [VERSION, *(" ".join(pair) for pair in merges)]
    return {
        VOCAB: json.dumps(ids, ensure_ascii=False).encode(errors="surrogatepass"),
        MERGES: "".join(f"{line}\n" for line in lines).encode(errors="surrogatepass"),
    }


def read_plain_files(path: Path) -> tuple[list[str], Pairs]:
    """The vocabulary and the merges, of which one file is named: gpt2.vocab.json goes with gpt2.merges.txt."""
    prefix = path.name.removesuffix(VOCAB).removesuffix(MERGES)
    files = vocab_file, merges_file = path.with_name(prefix + VOCAB), path.with_name(prefix + MERGES)
    for file, other in (files, files[::-1]):
        if other.is_file() and not file.is_file():
            raise ValueError(f"{file}: no such file, but {other.name} needs it; put it into the same folder")
    vocab = read_description(vocab_file)
    return joined_vocabulary(vocab.content, [], vocab), read_merges(merges_file)


def read_merges(path: Path) -> Pairs:
    """A pair a line, its parts one space apart; a line that begins with #version is a comment."""
    merges: Pairs = []
    for number, line in enumerate(read_text(path).removesuffix("\n").split("\n"), start=1):
        if line.startswith("#version"):
            continue
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            raise ValueError(
                f"{path}, line {number}: {line!r} is no pair of pieces, one space apart; fetch the file again"
            )
        merges.append((left, right))
    return merges


def check_letters(ids: Mapping[str, int], origin: str) -> None:
    """Raise ValueError unless every byte is a piece."""
    missing = [symbol for symbol in sorted(BYTE_SYMBOLS) if symbol not in ids]
    if missing:
        raise ValueError(
            f"{origin}: {len(missing)} of the 256 bytes are no pieces of the vocabulary ({' '.join(missing[:5])} ...),"
            " so there is text that it cannot spell; train it with all of them (initial_alphabet in HuggingFace)"
        )
