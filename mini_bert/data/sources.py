"""Sources: text from files, folders, globs and standard input, one document at a time.

    source = TextSource("books/", "news-*.jsonl.gz", unit="line")
    for document in source: ...
    source.replaced        # bytes that were not UTF-8
    source.fingerprint()   # changes if, and only if, the text does

A `.txt` file holds a document per paragraph, per line or per file, as `unit` says; a `.jsonl` file one per line,
in the field `text_field`; either may be compressed (`.gz`), and "-" is standard input, read as a `.txt` file.
However large a file is, no more than a document of it is in memory.
"""

import glob
import gzip
import json
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Literal, cast

from mini_bert.errors import unknown

Unit = Literal["paragraph", "line", "file"]
EncodingErrors = Literal["replace", "strict"]

UNITS = ("paragraph", "line", "file")
KINDS = (".txt", ".jsonl")
STDIN = Path("-")
HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
BOM = b"\xef\xbb\xbf"
HEAD = 8192
LONGEST = 1 << 20
"""The size in bytes at which a paragraph ends at the next line, and a line at its last space: a file without blank
lines, or without any lines, must not fill the memory."""


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
        self.paths = list(dict.fromkeys(path for source in sources for path in found(source)))
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

    def fingerprint(self) -> str:
        """A hash of all that decides which documents come: settings, kinds and bytes of the files, their order.

        Names and dates have no part in it: text that was moved or copied is the same text.
        """
        settings = ("1", self.unit, self.text_field, self.encoding_errors, *map(kind, self.paths))
        digest = blake2b(json.dumps(settings).encode(), digest_size=16)
        for path in self.paths:
            digest.update(digest_of(path))
        return digest.hexdigest()

    def _documents(self, path: Path) -> Iterator[str]:
        with self._opened(path) as file:
            try:
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
            yield sys.stdin.buffer
            return
        refuse_binary(path)
        with path.open("rb") as file, gzip.open(file) if path.suffix == ".gz" else nullcontext(file) as text:
            self._open_file = file
            try:
                yield cast(BinaryIO, text)
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
                    "or have such bytes replaced (encoding_errors='replace')"
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
            raise ValueError(f"{where}: {unknown('field', self.text_field, sorted(record))} (text_field)")
        text = record[self.text_field]
        if not isinstance(text, str):
            raise ValueError(
                f"{where}: {self.text_field!r} is {type(text).__name__}, not text; name another text_field"
            )
        return self._without_surrogates(text, where).replace("\r\n", "\n").strip()

    def _without_surrogates(self, text: str, where: str) -> str:
        """JSON can spell half a character, "\\ud83d"; no text has one."""
        whole, halves = HALF_A_CHARACTER.subn("\ufffd", text)
        if halves and self.encoding_errors == "strict":
            raise ValueError(f"{where}: half a surrogate pair; mend it, or pass encoding_errors='replace'")
        self.replaced += halves
        return whole


def found(source: str | Path) -> list[Path]:
    """The files that a source names, by name; in folders and globs only those that can be read as text."""
    path = Path(source).expanduser()
    if path == STDIN:
        return [path]
    if path.is_dir():
        return readable(path.rglob("*")) or nothing(path, "the folder has no")
    if path.exists():
        return readable([path]) or nothing(path, "not a")
    if glob.has_magic(str(path)):
        matches = map(Path, glob.glob(str(path), recursive=True))
        files = [file for match in matches for file in (match.rglob("*") if match.is_dir() else [match])]
        return readable(files) or nothing(path, "it matches no")
    raise ValueError(f"{path}: no such file or folder; check the name (seen from {Path.cwd()})")


def readable(paths: Iterable[Path]) -> list[Path]:
    return sorted(filter(is_text_file, paths))


def is_text_file(path: Path) -> bool:
    """Whether there is such a file, of a kind that can be read."""
    return kind(path) in KINDS and os.path.isfile(path)


def nothing(path: Path, why: str) -> list[Path]:
    raise ValueError(f"{path}: {why} {' or '.join(KINDS)} file, plain or .gz; rename or convert the text")


def kind(path: Path) -> str:
    """How a file is read: by its ending, without .gz. A bare .gz and standard input hold plain text."""
    bare = path.with_suffix("") if path.suffix == ".gz" else path
    return ".txt" if path == STDIN or (bare != path and not bare.suffix) else bare.suffix.lower()


def name(path: Path) -> str:
    return "standard input" if path == STDIN else str(path)


def refuse_binary(path: Path) -> None:
    """No text in UTF-8 has zero bytes; text in UTF-16 has many."""
    if path.suffix == ".gz":
        return
    with path.open("rb") as file:
        if b"\0" in file.read(HEAD):
            raise ValueError(
                f"{path}: not UTF-8 text, it has zero bytes; leave it out, or save its text as UTF-8"
            )


def size(path: Path) -> int:
    return 0 if path == STDIN else path.stat().st_size


def digest_of(path: Path) -> bytes:
    if path == STDIN:
        raise ValueError("standard input has no fingerprint; save it to a file and name that")
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(LONGEST):
            digest.update(block)
    return digest.digest()


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; one that is longer than LONGEST in parts that end between words."""
    rest = b""
    while line := file.readline(LONGEST):
        line = rest + line
        cut = len(line) if len(line) < LONGEST or line.endswith(b"\n") else last_break(line)
        yield line[:cut]
        rest = line[cut:]
    if rest:
        yield rest


def last_break(line: bytes) -> int:
    """Behind the last space, or else before the last character: never inside one, which has 1 to 4 bytes."""
    firsts = (i for i in range(len(line) - 1, len(line) - 5, -1) if line[i] & 0b1100_0000 != 0b1000_0000)
    return line.rfind(b" ") + 1 or next(firsts, len(line))


def assembled(lines: Iterable[str], unit: Unit) -> Iterator[str]:
    """Documents from lines."""
    block: list[str] = []
    size = 0
    for line in lines:
        blank = not line.strip()
        if not blank or (unit == "file" and block):
            block.append(line.replace("\r\n", "\n"))
            size += len(line)
        full = unit == "line" or (unit == "paragraph" and (blank or size >= LONGEST))
        if full and block:
            yield "".join(block).strip()
            block, size = [], 0
    if block:
        yield "".join(block).strip()
