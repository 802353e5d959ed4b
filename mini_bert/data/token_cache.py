"""The token cache: a corpus as ids in files that are mapped into memory, so that its size does not matter.

    cache = tokenized(corpus("world"), tokenizer)    # a moment, if it was done before
    cache.document(0)                                # ids without special tokens
    cache.contents.tokens, cache.contents.words, ...

A cache lies in `cache_folder()`, or in the folder given, under a hash of tokenizer and text. It is there whole or not
at all, and every byte is checked when it is opened; one that is damaged is built again. Processes that want the same
cache at the same time wait for the first of them. `tokenizing.py` builds it.
"""

import os
import shutil
from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import numpy as np
from pydantic import ValidationError

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus
from mini_bert.data.tokenizing import CONTENTS, ENDS, FORMAT, HASHES, IDS, Contents, build
from mini_bert.files import cache_folder, if_nobody_is_in, only_one, writing_in
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

HOME = "tokens"
LOCK, UNFINISHED = ".lock", ".unfinished"
READ_AT_ONCE = 1 << 20


class TokenCache:
    """The ids of all documents (N,), where each ends (D,), and a hash of each (D,), all read-only."""

    def __init__(self, folder: Path) -> None:
        """Open and check a cache; ValueError says what is wrong with one that is damaged."""
        self.folder = folder
        self.contents = contents = verified(folder)
        self.ids: Array = np.asarray(np.memmap(folder / IDS, contents.dtype, "r"))
        self.ends: Array = np.asarray(np.memmap(folder / ENDS, "<u8", "r"))
        self.hashes: Array = np.asarray(np.memmap(folder / HASHES, "<u8", "r"))

    def __len__(self) -> int:
        """The number of documents."""
        return self.contents.documents

    def __repr__(self) -> str:
        c = self.contents
        return f"TokenCache({c.source_name}: {c.documents:,} documents, {c.tokens:,} tokens)"

    def document(self, index: int) -> Array:
        """The ids of a document, without special tokens."""
        if not 0 <= index < len(self):
            raise ValueError(f"document {index} of {len(self)}; they are counted from 0")
        return self.ids[self.starts[index] : self.ends[index]].astype(np.int64)

    def blocks(self) -> Iterator[Array]:
        """All ids, a block at a time. They are read, not mapped: pages of a map count as memory of the process."""
        with (self.folder / IDS).open("rb") as file:
            while block := file.read(READ_AT_ONCE):
                yield np.frombuffer(block, self.contents.dtype)

    @cached_property
    def starts(self) -> Array:
        """Where each document begins (D,)."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)

    @cached_property
    def lengths(self) -> Array:
        """The number of tokens of each document (D,)."""
        return self.ends.astype(np.int64) - self.starts

    @property
    def fingerprint(self) -> str:
        return key(self.contents.source, self.contents.tokenizer)


def tokenized(
    corpus: Corpus, tokenizer: Tokenizer, folder: Path | None = None, report: Report = silent
) -> TokenCache:
    """The cache of a corpus under a tokenizer: opened if there is one, else built, with progress reported."""
    home = (folder or cache_folder()) / HOME
    report(0.0, f"reading {corpus.name}")
    source = corpus.fingerprint()
    name = key(source, tokenizer.fingerprint())
    place = home / name

    def waiting() -> None:
        report(0.0, f"waiting for another process that tokenizes {corpus.name}")

    with only_one(home / f"{name}{LOCK}", waiting):
        if place.exists():
            try:
                return TokenCache(place)
            except ValueError as damage:
                report(0.0, f"{damage}; building it again")
                remove(place)
        remove_unfinished(home)
        unfinished = home / f"{name}{UNFINISHED}"
        try:
            if unfinished.exists():
                remove(unfinished)
            build(unfinished, corpus, source, tokenizer, report)
            with writing_in(home):
                os.rename(unfinished, place)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return TokenCache(place)


def key(source: str, tokenizer: str) -> str:
    """What a cache is called."""
    return blake2b(f"{FORMAT} {source} {tokenizer}".encode(), digest_size=16).hexdigest()


def remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise ValueError(
            f"{folder}: cannot be removed ({error.strerror}); end the programs that use it, or remove it yourself"
        ) from error


def remove_unfinished(home: Path) -> None:
    """Remove what builders left behind that died; a living one holds its lock."""
    for folder in home.glob(f"*{UNFINISHED}"):
        with if_nobody_is_in(folder.with_suffix(LOCK)) as nobody:
            if nobody:
                shutil.rmtree(folder, ignore_errors=True)


def verified(folder: Path) -> Contents:
    """The contents of a cache whose files are exactly those that were written."""
    try:
        contents = Contents.model_validate_json((folder / CONTENTS).read_bytes())
    except (OSError, ValidationError):
        raise ValueError(f"{folder}: {CONTENTS} is missing or damaged") from None
    if contents.format != FORMAT:
        raise ValueError(f"{folder}: written in format {contents.format}, not {FORMAT}")
    for name in (IDS, ENDS, HASHES):
        written, path = contents.files.get(name), folder / name
        if written is None or not path.is_file():
            raise ValueError(f"{path}: missing")
        if path.stat().st_size != written.bytes:
            raise ValueError(f"{path}: {path.stat().st_size:,} bytes, but {written.bytes:,} were written")
        if checksum(path) != written.crc32:
            raise ValueError(f"{path}: damaged, the checksum is another")
    return contents


def checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(READ_AT_ONCE):
            found = crc32(block, found)
    return found
