"""Lines of a plain or gzipped UTF-8 file that know where they stand, so that an error can say so."""

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar, cast

Example = TypeVar("Example")
Source = str | PathLike[str]


class Line(NamedTuple):
    """A line without its end, and its place."""

    path: Path
    number: int
    text: str

    def error(self, what: str, remedy: str) -> ValueError:
        return ValueError(f"{self.path}:{self.number}: {what}; {remedy}")

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    def columns(self) -> list[str]:
        """Between tabs if the line has any, else between runs of white space."""
        return self.text.split("\t") if "\t" in self.text else self.text.split()


def all_lines(source: Source) -> Iterator[Line]:
    """Every line, blank ones too. A line ends at a line feed only: U+2028 and its kin are text."""
    path = Path(source)
    anything = False
    with _opened(path) as file:
        for number, raw in enumerate(_whole(file, path), 1):
            line = Line(path, number, _decoded(raw, path, number))
            anything = anything or not line.blank
            yield line
    if not anything:
        raise ValueError(f"{path}: the file is empty; fetch it again or pass another")


def lines(source: Source) -> Iterator[Line]:
    """The lines that are not blank."""
    return (line for line in all_lines(source) if not line.blank)


def without_header(rows: list[Line]) -> list[Line]:
    """The rows after the first, of which there must be some."""
    if len(rows) == 1:
        raise rows[0].error("a header and nothing after it", "fetch the file again or pass another")
    return rows[1:]


def blocks(source: Source) -> Iterator[list[Line]]:
    """Runs of lines between blank ones."""
    block: list[Line] = []
    for line in all_lines(source):
        if not line.blank:
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


def stem(source: Source, suffix: str) -> str:
    """The file's name without suffix and `.gz`: what a folder's reader calls it."""
    return Path(source).name.removesuffix(".gz").removesuffix(suffix)


def read_folder(
    folder: Source, suffix: str, read: Callable[[Path], list[Example]]
) -> dict[str, list[Example]]:
    """Every file with this suffix, plain or `.gz`, in the order of names."""
    paths = {stem(path, suffix): path for path in files(folder, suffix)}
    return {name: read(paths[name]) for name in sorted(paths)}


def files(folder: Source, suffix: str) -> list[Path]:
    """The folder's files with this suffix, plain or `.gz`."""
    if not Path(folder).is_dir():
        raise ValueError(f"{folder}: no such folder; check the path")
    found = [path for ending in (suffix, f"{suffix}.gz") for path in Path(folder).glob(f"[!.]*{ending}")]
    if not found:
        raise ValueError(f"{folder}: no {suffix} or {suffix}.gz file in the folder; check the path")
    return found


def _opened(path: Path) -> BinaryIO:
    if path.is_dir():
        raise ValueError(f"{path}: a folder, not a file; pass one of its files")
    try:
        return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file; {_nearest(path)}") from None


def _nearest(path: Path) -> str:
    beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, n=1)
    return f"did you mean {close[0]}?" if close else "check the path"


def _whole(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """The raw lines, the byte order mark left out."""
    try:
        for number, raw in enumerate(file, 1):
            yield raw.removeprefix(BOM_UTF8) if number == 1 else raw
    except (gzip.BadGzipFile, EOFError, zlib.error) as problem:
        raise ValueError(f"{path}: broken gzip file ({problem}); fetch it again") from None


def _decoded(raw: bytes, path: Path, number: int) -> str:
    try:
        return raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as problem:
        wrong = f"byte 0x{raw[problem.start]:02x} in column {problem.start + 1} is not UTF-8"
        raise ValueError(f"{path}:{number}: {wrong}; convert the file to UTF-8") from None
