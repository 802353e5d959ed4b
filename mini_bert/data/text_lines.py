"""Lines of text, and the documents that they make: paragraphs, lines or the whole file."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Literal

Unit = Literal["paragraph", "line", "file"]
UNITS = ("paragraph", "line", "file")
LONGEST = 1 << 20
"""The size in bytes at which a paragraph ends at the next line, and a line at its last space: a file without blank
lines, or without any lines, must not fill the memory."""


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, which may end in "\\r" alone, as on old Macs; longer ones than LONGEST cut between words."""
    rest = b""
    while line := file.readline(LONGEST):
        line = rest + line
        cut = len(line) if len(line) < LONGEST or line.endswith(b"\n") else last_break(line)
        part = line[:cut]
        yield from part.splitlines(keepends=True) if b"\r" in part else (part,)
        rest = line[cut:]
    yield from rest.splitlines(keepends=True)


def first_not_utf8(lines: Iterable[bytes]) -> int:
    """The number, from 1, of the first line that is not UTF-8; 0 if all are.

    >>> first_not_utf8([b"tea", b"caf\\xe9"])
    2
    """
    for number, line in enumerate(lines, 1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return 0


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
            block.append(line.replace("\r\n", "\n").replace("\r", "\n"))
            size += len(line)
        full = unit == "line" or (unit == "paragraph" and (blank or size >= LONGEST))
        if full and block:
            yield "".join(block).strip()
            block, size = [], 0
    if block:
        yield "".join(block).strip()
