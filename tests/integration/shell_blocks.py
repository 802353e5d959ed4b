"""Shell blocks of the documents: which commands a page shows, and the output that it claims for them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
LANGUAGES = ("", "bash", "sh", "shell", "console")
BLOCK = re.compile(
    r"(?P<varies><!-- varies -->\s*)?^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```\s*?$",
    re.MULTILINE | re.DOTALL,
)
NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
FACTOR = 4
"""How far a number of a block marked `<!-- varies -->` may be from the one of a fresh run."""


@dataclass(frozen=True)
class Command:
    """One line that a reader would type, and what the page says it prints."""

    page: Path
    text: str
    block: int
    """Where its block begins in the page."""
    output: str | None = None
    varies: bool = False

    @property
    def words(self) -> list[str]:
        return shlex.split(self.text, comments=True)

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}: {self.text}"


def commands(page: Path) -> list[Command]:
    return [command for block in BLOCK.finditer(page.read_text("utf-8")) for command in in_block(page, block)]


def in_block(page: Path, block: re.Match[str]) -> Iterator[Command]:
    if block["language"].strip() not in LANGUAGES:
        return
    body = re.sub(r"\\\n\s*", "", block["body"])
    if not re.search(r"^\s*\$ ", body, re.MULTILINE):
        for line in body.splitlines():
            if line.strip() and not line.strip().startswith("#"):
                yield Command(page, line.strip(), block.start())
        return
    before, *parts = re.split(r"^\s*\$ ", body, flags=re.MULTILINE)
    assert not before.strip(), f"{page}: a block with $ commands begins with one"
    for part in parts:
        line, _, output = part.partition("\n")
        told = output if output.strip() else None
        yield Command(page, line.strip(), block.start(), told, bool(block["varies"]))


def is_told(told: str, printed: str, *, varies: bool = False) -> bool:
    """Whether a page tells what was printed: blanks do not count, and `...` stands for anything."""
    pattern = ""
    numbers = []
    for place, part in enumerate(re.split(rf"(\.\.\.|{NUMBER})", " ".join(told.split()))):
        if part == "...":
            pattern += ".*?"
        elif place % 2 and varies:
            pattern += f"({NUMBER})"
            numbers.append(part)
        else:
            pattern += re.escape(part)
    found = re.fullmatch(
        r"\s*" + pattern.replace(r"\ .*?", r" ?.*?").replace(r".*?\ ", r".*? ?") + r"\s*",
        " ".join(printed.split()),
        re.DOTALL,
    )
    return bool(found) and all(map(is_near, numbers, found.groups()))


def is_near(told: str, printed: str) -> bool:
    one, other = (float(number.replace(",", "")) for number in (told, printed))
    return one == other or (one * other > 0 and 1 / FACTOR <= one / other <= FACTOR)
