"""The token cache: a corpus as ids in files that are mapped into memory, so that its size does not matter.

    cache = tokenized(corpus("world"), tokenizer)    # a moment, if it was done before
    cache.document(0)                                # ids without special tokens
    cache.sentences(0)                               # where its sentences end in them
    cache.contents.tokens, cache.contents.words, ...

A cache lies in `cache_folder()`, or in the folder given, under a hash of tokenizer and text. It is there whole or not
at all. Every byte is checked when it is first opened, and again if sizes or dates of its files are others than then;
one that is damaged is built again. Processes that want to build the same cache at the same time wait for the first of
them; to open one nobody waits, and the folder may be read-only. `tokenizing.py` builds it.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import numpy as np
from pydantic import ValidationError

from mini_bert.core.array import Array
from mini_bert.data.corpus import Corpus, needs_corpus
from mini_bert.data.tokenizing import BREAKS, CONTENTS, ENDS, FILES, FORMAT, HASHES, IDS, Contents, build
from mini_bert.files import cache_folder, if_nobody_is_in, only_one, write_atomically, writing_in
from mini_bert.reports import Report, silent
from mini_bert.tokenizers.tokenizer import Tokenizer

HOME = "tokens"
LOCK, UNFINISHED, CHECKED = ".lock", ".unfinished", ".checked"
READ_AT_ONCE = 1 << 20


class TokenCache:
    """The ids of all documents (N,), where each ends (D,), a hash of each (D,), and where all sentences end (S,).

    All are read-only.
    """

    def __init__(self, folder: Path) -> None:
        """Open and check a cache; ValueError says what is wrong with one that is damaged."""
        self.folder = folder
        self.contents = contents = verified(folder)
        self.ids: Array = np.asarray(np.memmap(folder / IDS, contents.dtype, "r"))
        self.ends: Array = np.asarray(np.memmap(folder / ENDS, "<u8", "r"))
        self.breaks: Array = np.asarray(np.memmap(folder / BREAKS, "<u8", "r"))
        self.hashes: Array = np.asarray(np.memmap(folder / HASHES, "<u8", "r"))

    def __len__(self) -> int:
        """The number of documents."""
        return self.contents.documents

    def __repr__(self) -> str:
        c = self.contents
        return f"TokenCache({c.source_name}: {c.documents:,} documents, {c.tokens:,} tokens)"

    def document(self, index: int) -> Array:
        """The ids of a document, without special tokens."""
        self._check(index)
        return self.ids[self.starts[index] : self.ends[index]].astype(np.int64)

    def sentences(self, index: int) -> Array:
        """Where the sentences of a document end, in tokens from its start; the last is its length."""
        self._check(index)
        start, end = self.starts[index], int(self.ends[index])
        first, last = np.searchsorted(self.breaks, np.array([start + 1, end], np.uint64))
        ends: Array = self.breaks[first : last + 1].astype(np.int64)
        ends -= start
        return ends

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self):
            raise ValueError(f"document {index} of {len(self)}; they are counted from 0")

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
    needs_corpus(corpus)
    folder = folder or cache_folder()
    home = folder / HOME
    report(0.0, f"reading {corpus.name}")
    source = corpus.known_fingerprint(folder)
    name = key(source, tokenizer.fingerprint())
    place = home / name

    def waiting() -> None:
        report(0.0, f"waiting for another process that tokenizes {corpus.name}")

    if place.exists():
        with suppress(ValueError, OSError):  # damaged, or just being removed: who has the lock will see
            return TokenCache(place)
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
    now: dict[str, list[int]] = {}
    for name in FILES:
        written, path = contents.files.get(name), folder / name
        if written is None or not path.is_file():
            raise ValueError(f"{path}: missing")
        stat = path.stat()
        if stat.st_size != written.bytes:
            raise ValueError(f"{path}: {stat.st_size:,} bytes, but {written.bytes:,} were written")
        now[name] = [stat.st_size, stat.st_mtime_ns, written.crc32]
    note = folder.with_name(f"{folder.name}{CHECKED}")
    if now != last_check(note):
        for name in FILES:
            if checksum(folder / name) != contents.files[name].crc32:
                raise ValueError(f"{folder / name}: damaged, the checksum is another")
        with suppress(OSError):  # a folder that is read-only is checked each time
            write_atomically(note, json.dumps(now).encode())
    return contents


def last_check(note: Path) -> object:
    """Sizes, dates and checksums of the files when all their bytes were checked; None if there is no such note."""
    try:
        return json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None


def checksum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(READ_AT_ONCE):
            found = crc32(block, found)
    return found
