"""Files of text, plain or compressed, line by line, with a report of how far reading has come."""

import bz2
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from mini_bert.data.records import digest
from mini_bert.data.text_lines import first_not_utf8
from mini_bert.reports import Report

LINES_BETWEEN_REPORTS = 2000
COMPRESSED = (".gz", ".bz2")


class Meter:
    """How many bytes have been read, as files lie on the disk, of all that will be."""

    def __init__(self, total: int, report: Report) -> None:
        self.total, self.report = total, report
        self.finished = 0
        self.note = ""

    def reached(self, position: int) -> None:
        """`position` is a place in the file that is being read."""
        self.report(min(1.0, (self.finished + position) / max(1, self.total)), self.note)

    def finish(self, size: int) -> None:
        self.finished += size
        self.reached(0)


def bare_suffix(path: Path) -> str:
    """The ending of a name without that of its compression.

    >>> bare_suffix(Path("eng_sentences.tsv.bz2")), bare_suffix(Path("AA/wiki_00"))
    ('.tsv', '')
    """
    return (path.with_suffix("") if path.suffix in COMPRESSED else path).suffix.lower()


def lines_of(path: Path, meter: Meter) -> Iterator[str]:
    """The lines of a file in UTF-8; .gz and .bz2 are unpacked."""
    with (
        named_if_broken(path),
        path.open("rb") as file,
        unpacked(file, path) as plain,
        io.TextIOWrapper(plain, encoding="utf-8-sig") as text,
    ):
        for number, line in enumerate(text):
            if number % LINES_BETWEEN_REPORTS == 0:
                meter.reached(file.tell())
            yield line
    meter.finish(path.stat().st_size)


@contextmanager
def named_if_broken(path: Path) -> Iterator[None]:
    """Says which file cannot be read, and what to do."""
    try:
        yield
    except UnicodeDecodeError as error:
        with path.open("rb") as file, unpacked(file, path) as plain:
            number = first_not_utf8(plain)
        raise ValueError(f"{path}:{number}: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{path}: broken file ({error}); fetch it again") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(
            f"{path}: broken file ({error}); fetch it again"
        ) from error  # not gzip, or not bzip2


def unpacked(file: BinaryIO, path: Path) -> AbstractContextManager[BinaryIO]:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(file))
    return cast(BinaryIO, bz2.open(file)) if path.suffix == ".bz2" else nullcontext(file)


def whole_text(path: Path, meter: Meter) -> str:
    """A file that is small enough to be read at once. Old ones are not in UTF-8 but in Latin-1."""
    with named_if_broken(path), path.open("rb") as file, unpacked(file, path) as plain:
        raw = plain.read()
    meter.finish(path.stat().st_size)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def fingerprint(paths: Iterable[Path]) -> str:
    """The SHA-256 of a file; for several, of their names and hashes, one to a line, as `sha256sum` writes them."""
    several = list(paths)
    if len(several) == 1:
        return digest(several[0])
    listed = sha256()
    for path in several:
        listed.update(f"{digest(path)}  {path.name}\n".encode())
    return listed.hexdigest()
