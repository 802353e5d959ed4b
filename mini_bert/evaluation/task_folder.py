"""A folder with labelled sets of others, each in a folder of its own.

| folder | files | read by |
| --- | --- | --- |
| ud_ewt | train, dev, test .conllu | probes of parts of speech and dependencies |
| uner_ewt | train, dev, test .iob2 | probe of named entities |
| sst2, cola | train, dev, test .tsv | fine-tuning |
| blimp, zorro, marvin_linzen | a file for each paradigm | minimal pairs |
| wordsim | .txt with two words and a score | similarity |
| analogy | .txt with four words | analogies |
| pararel | facts and patterns | cloze facts |

Files may be gzipped. What is not there is left out.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

KNOWN = (
    "ud_ewt",
    "uner_ewt",
    "sst2",
    "cola",
    "blimp",
    "zorro",
    "marvin_linzen",
    "wordsim",
    "analogy",
    "pararel",
)


class TaskFolder:
    """`TaskFolder("tasks").split("ud_ewt", "train")` is the path of that file, or None."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_dir():
            raise ValueError(f"{path}: no such folder; name one that holds some of {', '.join(KNOWN)}")
        if not any(self.folder(name) for name in KNOWN):
            raise ValueError(
                f"{path}: no labelled set in this folder; it should hold some of {', '.join(KNOWN)}"
            )

    def folder(self, name: str) -> Path | None:
        """The folder of a set."""
        assert name in KNOWN, name
        found = self.path / name
        return found if found.is_dir() else None

    def split(self, name: str, split: str) -> Path | None:
        """The file of a part of a set: the one that is named train, dev or test, whatever its ending."""
        folder = self.folder(name)
        return next(iter(sorted(folder.glob(f"{split}.*"))), None) if folder else None
