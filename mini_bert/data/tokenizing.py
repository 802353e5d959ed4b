"""Tokenizing: a corpus becomes a folder of ids, a few blocks of text at a time.

| file | holds |
| --- | --- |
| `ids.bin` | the ids of all documents, one after the other, without special tokens; uint16 if they fit, else uint32 |
| `ends.bin` | where each document ends in it, uint64 |
| `hashes.bin` | a hash of each document's words, uint64: equal documents have equal ones |
| `contents.json` | what it is made of, sizes and checksums; written last |

All numbers are little-endian.
"""

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

import numpy as np
from pydantic import BaseModel, ConfigDict

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus
from mini_bert.files import writing_in
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

FORMAT = 1
IDS, ENDS, HASHES = FILES = ("ids.bin", "ends.bin", "hashes.bin")
CONTENTS = "contents.json"
BLOCK = 1 << 20
"""Characters that are tokenized between two reports."""


class Written(BaseModel):
    """Size and checksum of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int
    crc32: int


class Contents(BaseModel):
    """What a cache holds, and what it was made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    source: str
    source_name: str
    tokenizer: str
    tokenizer_name: str
    vocab_size: int
    dtype: str
    documents: int
    empty_documents: int
    tokens: int
    words: int
    characters: int
    replaced_bytes: int
    files: dict[str, Written]


def build(folder: Path, corpus: Corpus, source: str, tokenizer: Tokenizer, report: Report = silent) -> None:
    """Tokenize a corpus, whose fingerprint is `source`, into a new folder.

    Documents without any token are left out, and counted.
    """
    with writing_in(folder.parent):
        folder.mkdir()
    dtype = id_type(tokenizer.vocab_size)
    ids_file, ends_file, hashes_file = files = [CheckedFile(folder / name) for name in FILES]
    documents = empty = tokens = words = characters = 0
    try:
        for block in blocks(corpus):
            encoded = tokenizer.encode_batch(block, add_special_tokens=False)
            lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
            ids = np.fromiter(chain.from_iterable(encoded), dtype, int(lengths.sum()))
            ends = np.cumsum(lengths[lengths > 0])
            ids_file.write(ids)
            ends_file.write((tokens + ends).astype("<u8"))
            hashes_file.write(hashes(document for document, kept in zip(block, encoded, strict=True) if kept))
            documents += len(ends)
            empty += len(lengths) - len(ends)
            tokens += len(ids)
            words += sum(len(document.split()) for document in block)
            characters += sum(map(len, block))
            report(corpus.progress, f"tokenizing {corpus.name}: {characters:,} characters, {tokens:,} tokens")
        written = {file.path.name: file.finish() for file in files}
    finally:
        for file in files:
            file.file.close()
    if not tokens:
        raise ValueError(f"{corpus.name}: no token in {empty:,} documents; is this text?")
    if corpus.fingerprint() != source:
        raise ValueError(
            f"{corpus.name}: the text changed while it was read; start again when it is complete"
        )
    contents = Contents(
        format=FORMAT,
        source=source,
        source_name=corpus.name,
        tokenizer=tokenizer.fingerprint(),
        tokenizer_name=repr(tokenizer),
        vocab_size=tokenizer.vocab_size,
        dtype=dtype,
        documents=documents,
        empty_documents=empty,
        tokens=tokens,
        words=words,
        characters=characters,
        replaced_bytes=corpus.replaced,
        files=written,
    )
    with writing_in(folder.parent):
        (folder / CONTENTS).write_text(contents.model_dump_json(indent=2) + "\n", encoding="utf-8")


def id_type(vocab_size: int) -> str:
    return "<u2" if vocab_size <= 1 << 16 else "<u4"


def blocks(documents: Iterable[str]) -> Iterator[list[str]]:
    """Documents in lists of about BLOCK characters."""
    block: list[str] = []
    size = 0
    for document in documents:
        block.append(document)
        size += len(document)
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def hashes(documents: Iterable[str]) -> Array:
    """A 64-bit hash of each document, whatever its capitals and spaces, and whatever the tokenizer."""
    words = (" ".join(document.casefold().split()) for document in documents)
    digests = (blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest() for text in words)
    return np.frombuffer(b"".join(digests), "<u8")


class CheckedFile:
    """A file that is written from beginning to end, and its checksum.

    It is not mapped into memory: the pages of a map count as memory of the process until they are on the disk.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.size, self.checksum = path, 0, 0
        with writing_in(path.parent):
            self.file: BinaryIO = path.open("wb")

    def write(self, array: Array) -> None:
        content = array.tobytes()
        with writing_in(self.path.parent):
            self.file.write(content)
        self.size += len(content)
        self.checksum = crc32(content, self.checksum)

    def finish(self) -> Written:
        """Have it all on the disk."""
        with writing_in(self.path.parent):
            self.file.flush()
            os.fsync(self.file.fileno())
        return Written(bytes=self.size, crc32=self.checksum)
