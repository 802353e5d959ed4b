"""Text files: which of them a file, a folder, a glob or "-" names, how each is read, its size and its hash."""

import glob
import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

KINDS = (".txt", ".jsonl")
STDIN = Path("-")
READ_AT_ONCE = 1 << 20


def found(source: str | Path) -> list[Path]:
    """The files that a source names, by name; in folders and globs only those that can be read as text."""
    path = Path(source).expanduser()
    if path == STDIN:
        return [path]
    if path.is_dir():
        return readable(path.rglob("*")) or nothing(path, "the folder has no")
    if path.exists():
        return readable([path]) or nothing(path, "not a", ", or pipe it into standard input, -")
    if glob.has_magic(str(path)):
        matches = map(Path, glob.glob(str(path), recursive=True))
        files = [file for match in matches for file in (match.rglob("*") if match.is_dir() else [match])]
        literal = "; a [ that is part of a name is written [[]" if "[" in str(path) else ""
        if not files:
            raise ValueError(f"{path}: it matches no file; check it (seen from {Path.cwd()}){literal}")
        return readable(files) or nothing(path, "it matches no", literal)
    raise ValueError(f"{path}: no such file or folder; check the name (seen from {Path.cwd()})")


def readable(paths: Iterable[Path]) -> list[Path]:
    return sorted(filter(is_text_file, paths))


def is_text_file(path: Path) -> bool:
    """Whether there is such a file, of a kind that can be read."""
    return kind(path) in KINDS and os.path.isfile(path)


def nothing(path: Path, why: str, further: str = "") -> list[Path]:
    raise ValueError(
        f"{path}: {why} {' or '.join(KINDS)} file, plain or .gz; rename or convert the text{further}"
    )


def identity(path: Path) -> Path:
    """The same for every way to write the name of a file."""
    return path if path == STDIN else path.resolve()


def kind(path: Path) -> str:
    """How a file is read: by its ending, without .gz. A bare .gz and standard input hold plain text."""
    bare = path.with_suffix("") if path.suffix == ".gz" else path
    return ".txt" if path == STDIN or (bare != path and not bare.suffix) else bare.suffix.lower()


def name(path: Path) -> str:
    return "standard input" if path == STDIN else str(path)


def size(path: Path) -> int:
    return 0 if path == STDIN else path.stat().st_size


def digest_of(path: Path) -> bytes:
    if path == STDIN:
        raise ValueError("standard input has no fingerprint; save it to a file and name that")
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(READ_AT_ONCE):
            digest.update(block)
    return digest.digest()
