"""Tokenizing: a corpus becomes a folder of ids, a few blocks of text at a time.

| file | holds |
| --- | --- |
| `ids.bin` | the ids of all documents, one after the other, without special tokens; uint16 if they fit, else uint32 |
| `ends.bin` | where each document ends in it, uint64 |
| `breaks.bin` | where each sentence ends in it, uint64; the ends of documents are among them (`sentences.py`) |
| `hashes.bin` | a hash of each document's words, uint64: equal documents have equal ones |
| `contents.json` | what it is made of, sizes and checksums; written last |

All numbers are little-endian.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

import numpy as np
from pydantic import BaseModel, ConfigDict

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus
from mini_bert.data.sentence_tokens import SentenceCutter
from mini_bert.errors import counted
from mini_bert.files import writing_in
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

FORMAT = 2
IDS, ENDS, BREAKS, HASHES = FILES = ("ids.bin", "ends.bin", "breaks.bin", "hashes.bin")
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
    sentences: int
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
    ids_file, ends_file, breaks_file, hashes_file = files = [CheckedFile(folder / name) for name in FILES]
    cut = SentenceCutter(tokenizer)
    documents = sentences = empty = tokens = words = characters = 0
    try:
        for block in blocks(corpus):
            part = tokenized_block(block, cut)
            ids_file.write(part.ids.astype(dtype))
            ends_file.write(tokens + part.ends)
            breaks_file.write(tokens + part.breaks)
            hashes_file.write(part.hashes)
            documents += len(part.ends)
            sentences += len(part.breaks)
            empty += len(block) - len(part.ends)
            tokens += len(part.ids)
            words += part.words
            characters += sum(map(len, block))
            report(corpus.progress, f"tokenizing {corpus.name}: {characters:,} characters, {tokens:,} tokens")
        written = {file.path.name: file.finish() for file in files}
    finally:
        for file in files:
            file.file.close()
    if not tokens:
        raise ValueError(f"{corpus.name}: no token in {counted(empty, 'document')}; is this text?")
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
        sentences=sentences,
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


class Block(NamedTuple):
    """Some documents as ids, where documents and sentences end in them, hashes of the documents, and their words.

    A hash has 64 bits and is the same whatever the capitals and spaces, and whatever the tokenizer.
    """

    ids: Array
    ends: Array
    breaks: Array
    hashes: Array
    words: int


def tokenized_block(documents: Sequence[str], cut: SentenceCutter) -> Block:
    """Those of the documents that have a token; words are counted in all of them."""
    ids, lengths, breaks = cut(documents)
    digests: list[bytes] = []
    count = 0
    for document, length in zip(documents, lengths.tolist(), strict=True):
        words = document.casefold().split()
        count += len(words)
        if length:
            text = " ".join(words).encode(errors="surrogatepass")
            digests.append(blake2b(text, digest_size=8).digest())
    return Block(
        ids,
        np.cumsum(lengths[lengths > 0]).astype("<u8"),
        breaks.astype("<u8"),
        np.frombuffer(b"".join(digests), "<u8"),
        count,
    )


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
