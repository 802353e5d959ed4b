"""corpus.json: what a corpus was made of, under which licences, how much it is, and the SHA-256 of each text.

It holds no dates and no places, so that two machines with the same sources write the same file.
"""

import gzip
import json
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mini_bert.data.building.writing import Written, hash_of_text
from mini_bert.files import write_atomically

NAME = "corpus.json"
FORMAT = 1
"""Count up when another release makes other documents of the same sources."""


@dataclass(frozen=True)
class Part:
    """What came of one source. `sha256` is that of its files; `read` counts documents with their copies.

    `copies` are those left out, of other documents of the source or of what is held out of another; `passed_over`
    counts files that had nothing to read.
    """

    licence: str
    attribution: str
    files: int
    bytes: int
    sha256: str
    held_out_share: float
    limit: int | None
    read: int
    copies: int
    train: Written
    held_out: Written | None
    passed_over: int = 0

    @property
    def request(self) -> tuple[object, ...]:
        """All that decides what is written."""
        return (self.sha256, self.held_out_share, self.limit)


@dataclass(frozen=True)
class Manifest:
    parts: dict[str, Part] = field(default_factory=dict)

    @property
    def texts(self) -> list[Written]:
        both = (side for part in self.parts.values() for side in (part.train, part.held_out))
        return [written for written in both if written]

    def as_dict(self) -> dict[str, object]:
        return {"format": FORMAT, "sources": {name: asdict(part) for name, part in self.parts.items()}}

    def write(self, folder: Path) -> None:
        content = json.dumps(self.as_dict(), indent=2, ensure_ascii=False)
        write_atomically(folder / NAME, f"{content}\n".encode())


def read_manifest(folder: Path) -> Manifest:
    path = folder / NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']}, not {FORMAT}")
        return Manifest({name: part_from(part) for name, part in content["sources"].items()})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{path}: not a list of a corpus that this version reads ({error}); build it anew in another folder"
        ) from error


def part_from(content: dict[str, object]) -> Part:
    sides = {side: Written(**text) if (text := content[side]) else None for side in ("train", "held_out")}  # type: ignore[arg-type]
    return Part(**{**content, **sides})  # type: ignore[arg-type]


def verify(folder: Path, manifest: Manifest) -> None:
    """Refuses a corpus whose texts are not those that were written."""
    for text in manifest.texts:
        path = folder / text.file
        if not path.is_file():
            raise ValueError(f"{path}: the file is gone; delete {folder} and build the corpus again")
        try:
            found = hash_of_text(path)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            found = f"none, for the file is broken ({error})"
        if found != text.sha256:
            raise ValueError(
                f"{path}: altered since it was built: SHA-256 expected {text.sha256}, found {found}; "
                f"delete {folder} and build the corpus again"
            )
