"""Documents written down: gzipped text, the same bytes for the same documents on every machine."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mini_bert.data.building.documents import Document

LEVEL = 6


@dataclass(frozen=True)
class Written:
    """A file of documents. `sha256` is that of its text, unpacked: how well zlib compresses does not matter."""

    file: str
    documents: int
    characters: int
    sha256: str


class Writer:
    """Writes documents one after the other, a blank line between."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self.file = file
        self.documents = self.characters = 0
        self.hash = sha256()

    def write(self, document: Document) -> None:
        text = "\n".join(document)
        self._put(("\n\n" if self.documents else "") + text)
        self.documents += 1
        self.characters += len(text)

    def end(self) -> None:
        self._put("\n")

    def _put(self, text: str) -> None:
        raw = text.encode()
        self.hash.update(raw)
        self.file.write(raw)


@contextmanager
def writer_of(path: Path) -> Iterator[Writer]:
    """A writer of a .gz file that names neither itself nor the hour in its header."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=LEVEL, mtime=0) as packed,
    ):
        writer = Writer(packed)
        yield writer
        writer.end()


def hash_of_text(path: Path) -> str:
    """The SHA-256 of what is in a .gz file."""
    found = sha256()
    with gzip.open(path) as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()
