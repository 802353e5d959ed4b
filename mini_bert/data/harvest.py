"""Python's documentation, kept as a file: to harvest it takes several seconds."""

from pathlib import Path

from mini_bert.data import python_docs
from mini_bert.data.fingerprints import hashed
from mini_bert.data.sources import TextSource
from mini_bert.files import only_one, write_atomically, writing_in

PYTHON_DOCS = "python-docs"


def harvested_docs(folder: Path) -> TextSource:
    """Python's documentation, harvested once for each installation and kept as a text file in a folder.

    A document is a paragraph of the file; its own paragraphs are lines.
    """
    harvest = folder / PYTHON_DOCS / f"{installation()}.txt"
    with only_one(harvest.with_suffix(".lock")):
        if not harvest.exists():
            text = "\n\n".join(python_docs.python_docs()).encode()
            with writing_in(harvest.parent):
                write_atomically(harvest, text)
    return TextSource(harvest, unit="paragraph")


def installation() -> str:
    """A hash of what is harvested: names, sizes and dates of the files, and the program that does it."""
    stamps = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in python_docs.sources()]
    return hashed([stamps, Path(python_docs.__file__).read_text(encoding="utf-8")])
