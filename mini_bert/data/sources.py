"""Sources: text from files, folders, globs and standard input, one document at a time.

    source = TextSource("books/", "news-*.jsonl.gz", unit="line")
    for document in source: ...
    source.replaced        # bytes that were not UTF-8
    source.fingerprint()   # changes if, and only if, the text does

A `.txt` file holds a document per paragraph, per line or per file, as `unit` says; a `.jsonl` file one per line,
in the field `text_field`; either may be compressed (`.gz`), and "-" is standard input, read as a `.txt` file.
However large a file is, no more than a document of it is in memory.
"""

import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Literal, cast

from mini_bert.data.text_files import KINDS, STDIN, digest_of, found, identity, kind, name, size
from mini_bert.data.text_lines import UNITS, Unit, assembled, pieces
from mini_bert.errors import unknown
from mini_bert.plain_json import whole_characters

__all__ = [
    "FORMAT",
    "KINDS",
    "STDIN",
    "UNITS",
    "EncodingErrors",
    "TextSource",
    "Unit",
    "documents",
    "refuse_binary",
]

EncodingErrors = Literal["replace", "strict"]

BOM = b"\xef\xbb\xbf"
FORMAT = 2
"""Count up when the same files become other documents."""
HEAD = 8192
NAME_THE_FIELD = "name the field that holds the text with text_field, or --text-field"


def documents(
    *sources: str | Path,
    unit: Unit = "paragraph",
    text_field: str = "text",
    encoding_errors: EncodingErrors = "replace",
) -> Iterator[str]:
    """The documents of a `TextSource`, once."""
    return iter(TextSource(*sources, unit=unit, text_field=text_field, encoding_errors=encoding_errors))


class TextSource:
    """Documents from files, folders, globs and standard input ("-"), in an order that never changes.

    Sources come in the order given, the files of a folder (with all its subfolders) or of a glob by name; a file
    that is named twice is read once. Documents are never empty, have no space around them, and "\\n" between lines:

    - unit="paragraph": the lines up to the next blank one;
    - unit="line": each line that is not blank;
    - unit="file": all of a file.

    Bytes that are not UTF-8 become U+FFFD and are counted in `replaced`, anew in each pass, or are refused
    (encoding_errors="strict").
    """

    def __init__(
        self,
        *sources: str | Path,
        unit: Unit = "paragraph",
        text_field: str = "text",
        encoding_errors: EncodingErrors = "replace",
    ) -> None:
        if unit not in UNITS:
            raise ValueError(unknown("unit", unit, list(UNITS)))
        if encoding_errors not in ("replace", "strict"):
            raise ValueError(unknown("encoding_errors", encoding_errors, ["replace", "strict"]))
        self.unit, self.text_field, self.encoding_errors = unit, text_field, encoding_errors
        first: dict[Path, Path] = {}
        for path in (path for source in sources for path in found(source)):
            first.setdefault(identity(path), path)
        self.paths = list(first.values())
        if not self.paths:
            raise ValueError("no sources; name a file, a folder, a glob, or - for standard input")
        self.replaced = 0
        self.bytes_total = self._bytes_finished = 0
        self._open_file: BinaryIO | None = None
        self._stdin_was_read = False

    def __iter__(self) -> Iterator[str]:
        self.replaced = self._bytes_finished = 0
        self.bytes_total = sum(map(size, self.paths))
        for path in self.paths:
            empty = True
            for document in self._documents(path):
                empty = False
                yield document
            if empty:
                raise ValueError(f"{name(path)}: no text in it; fill it, or leave it out")
            self._bytes_finished += size(path)

    @property
    def bytes_read(self) -> int:
        """How far this pass has come in the `bytes_total` of all files, as they lie on the disk (.gz: compressed)."""
        return self._bytes_finished + (0 if self._open_file is None else self._open_file.tell())

    @property
    def progress(self) -> float:
        """The share of the text, from 0 to 1, that the present pass has read; 0 for standard input, of unknown size."""
        return min(1.0, self.bytes_read / max(1, self.bytes_total))

    def fingerprint(self) -> str:
        """A hash of all that decides which documents come: settings, kinds and bytes of the files, their order.

        Names and dates have no part in it: text that was moved or copied is the same text.
        """
        settings = (FORMAT, self.unit, self.text_field, self.encoding_errors, *map(kind, self.paths))
        digest = blake2b(json.dumps(settings).encode(), digest_size=16)
        for path in self.paths:
            digest.update(digest_of(path))
        return digest.hexdigest()

    def _documents(self, path: Path) -> Iterator[str]:
        try:
            with self._opened(path) as file:
                if kind(path) == ".jsonl":
                    yield from self._records(path, file)
                else:
                    yield from assembled(self._lines(path, file), self.unit)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path}: broken gzip file ({error}); fetch or compress it again") from error

    @contextmanager
    def _opened(self, path: Path) -> Iterator[BinaryIO]:
        if path == STDIN:
            if self._stdin_was_read:
                raise ValueError("standard input can be read only once; save it to a file and name that")
            self._stdin_was_read = True
            with text_only(sys.stdin.buffer, path) as text:
                yield text
            return
        with (
            path.open("rb") as file,
            gzip.open(file) if path.suffix == ".gz" else nullcontext(file) as unpacked,
            text_only(cast(BinaryIO, unpacked), path) as text,
        ):
            self._open_file = file
            try:
                yield text
            finally:
                self._open_file = None

    def _lines(self, path: Path, file: BinaryIO) -> Iterator[str]:
        start = 0
        for line in pieces(file):
            yield self._decoded(line, path, start)
            start += len(line)

    def _decoded(self, raw: bytes, path: Path, start: int) -> str:
        """The text of bytes that begin at byte `start` of a file."""
        text = raw if start else raw.removeprefix(BOM)
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            if self.encoding_errors == "strict":
                at = start + len(raw) - len(text) + error.start
                raise ValueError(
                    f"{name(path)}: byte {at} (0x{text[error.start]:02x}) is not UTF-8; save the text as UTF-8, "
                    "or have such bytes replaced (encoding_errors='replace', no --strict)"
                ) from error
        replaced = text.decode(errors="replace")
        self.replaced += replaced.count("\ufffd") - text.count("\ufffd".encode())
        return replaced

    def _records(self, path: Path, file: BinaryIO) -> Iterator[str]:
        start = 0
        for number, line in enumerate(file, 1):
            text = self._decoded(line, path, start)
            start += len(line)
            if text.strip() and (document := self._field(text, f"{path}:{number}")):
                yield document

    def _field(self, line: str, where: str) -> str:
        """The text of one line of JSON."""
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{where}: not JSON ({error}); each line must be one object") from error
        if not isinstance(record, dict):
            raise ValueError(f'{where}: not an object; each line must be one, like {{"text": "..."}}')
        if self.text_field not in record:
            raise ValueError(
                f"{where}: {unknown('field', self.text_field, sorted(record))} ({NAME_THE_FIELD})"
            )
        text = record[self.text_field]
        if not isinstance(text, str):
            raise ValueError(
                f"{where}: {self.text_field!r} is {type(text).__name__}, not text; {NAME_THE_FIELD}"
            )
        return self._without_surrogates(text, where).replace("\r\n", "\n").strip()

    def _without_surrogates(self, text: str, where: str) -> str:
        """JSON can spell half a character, "\\ud83d"; no text has one."""
        whole, halves = whole_characters(text)
        if halves and self.encoding_errors == "strict":
            raise ValueError(
                f"{where}: half a surrogate pair; mend it, or have it replaced (encoding_errors='replace', no --strict)"
            )
        self.replaced += halves
        return whole


@contextmanager
def text_only(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """The same file, if its first bytes are text; what was looked at is not lost, even from a pipe."""
    buffered = io.BufferedReader(cast(io.RawIOBase, file), HEAD)
    try:
        refuse_binary(buffered.peek(HEAD), path)
        yield buffered
    finally:
        buffered.detach()


def refuse_binary(head: bytes, path: Path) -> None:
    """No text in UTF-8 has zero bytes; text in UTF-16 has many."""
    if b"\0" in head[:HEAD]:
        raise ValueError(
            f"{name(path)}: not UTF-8 text, it has zero bytes; leave it out, or save its text as UTF-8"
        )
