"""What was downloaded: a record beside the files of a set, with the SHA-256 of each, to verify them by."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from mini_bert.files import cache_folder, write_atomically

RECORD_NAME = "record.json"
BLOCK = 1 << 20


@dataclass(frozen=True)
class Record:
    """Where a set came from, and the SHA-256 of each file: as it was published, and in its plain form."""

    repo: str
    revision: str
    published: dict[str, str]
    files: dict[str, str]


def set_folder(name: str) -> Path:
    """Where a set is kept on this machine."""
    return cache_folder() / "data" / name


def is_here(name: str) -> bool:
    return (set_folder(name) / RECORD_NAME).is_file()


def digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    return {name: digest(folder / name) for name in names}


def digest(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            found.update(block)
    return found.hexdigest()


def altered(old: Record | None, new: Record) -> list[str]:
    """Published files whose bytes are others than when the same revision came before: there must not be any."""
    if old is None or (old.repo, old.revision) != (new.repo, new.revision) or not new.revision:
        return []
    return [file for file, found in new.published.items() if old.published.get(file, found) != found]


def write_record(folder: Path, record: Record) -> None:
    write_atomically(folder / RECORD_NAME, f"{json.dumps(asdict(record), indent=2)}\n".encode())


def read_record(name: str) -> Record:
    path = set_folder(name) / RECORD_NAME
    try:
        return Record(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ValueError(f"{name} is not on this machine; fetch it: mini-bert data get {name}") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: not a record of checksums ({error}); {anew(name)}") from error


def record_if_any(name: str) -> Record | None:
    """The record of a set; None if there is none that can be read."""
    try:
        return read_record(name)
    except ValueError:
        return None


def verified(name: str) -> Record:
    """The record of a set, if every file is as it was when it came."""
    record, folder = read_record(name), set_folder(name)
    remedy = anew(name, copied=not record.repo)
    for file, expected in record.files.items():
        path = folder / file
        if not path.is_file():
            raise ValueError(f"{path}: the file is gone; {remedy}")
        found = digest(path)
        if found != expected:
            raise ValueError(
                f"{path}: altered since it came: SHA-256 expected {expected}, found {found}; {remedy}"
            )
    return record


def anew(name: str, *, copied: bool = False) -> str:
    """How to bring a set again: from where it came."""
    if copied:
        return f"install the copy again: mini-bert data get {name} --from FOLDER|FILE --force"
    return f"fetch it anew: mini-bert data get {name} --force, or from a copy: --from FOLDER|FILE --force"
