"""Sets of minimal pairs: of a folder, which sees by its files whose they are, or of the embedded world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

from mini_bert.data.tasks.blimp import read_blimp_folder
from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.tasks.marvin_linzen import read_marvin_linzen_folder
from mini_bert.data.tasks.zorro import read_zorro_folder
from mini_bert.data.world import PHENOMENA, minimal_pairs
from mini_bert.evaluation.linguistic.phenomena import (
    blimp_phenomenon,
    marvin_linzen_phenomenon,
    world_phenomenon,
    zorro_phenomenon,
)

Paradigms = Mapping[str, list[MinimalPair]]


class PairSet(NamedTuple):
    """Minimal pairs by paradigm, and what phenomenon of grammar each paradigm is about."""

    name: str
    paradigms: Paradigms
    phenomenon: Callable[[str], str]

    @property
    def size(self) -> int:
        """How many pairs there are."""
        return sum(map(len, self.paradigms.values()))


class Source(NamedTuple):
    """A published set: the folder it has among others, how its files end, and who reads them."""

    name: str
    folder: str
    ending: str
    read: Callable[[Path], Paradigms]
    phenomenon: Callable[[str], str]


SOURCES = (
    Source("BLiMP", "blimp", ".jsonl", read_blimp_folder, blimp_phenomenon),
    Source("Zorro", "zorro", ".txt", read_zorro_folder, zorro_phenomenon),
    Source("Marvin & Linzen", "marvin_linzen", ".tsv", read_marvin_linzen_folder, marvin_linzen_phenomenon),
)


def pair_sets(folder: Path) -> list[PairSet]:
    """The sets in a folder that holds some of them, each in a folder of its own, or that is one itself."""
    folder = folder.expanduser()
    if not folder.is_dir():
        what = "a file, not a folder" if folder.is_file() else "no such folder"
        raise ValueError(f"{folder}: {what}; name a folder with minimal pairs, such as BLiMP's")
    inside = [(folder / source.folder, source) for source in SOURCES if (folder / source.folder).is_dir()]
    found = inside or [(folder, source) for source in SOURCES if has_files(folder, source.ending)]
    if not found:
        raise ValueError(
            f"{folder}: no minimal pairs in this folder; it should hold BLiMP's .jsonl, Zorro's .txt or Marvin and "
            f"Linzen's .tsv files (or .gz of them), or folders of these: {', '.join(s.folder for s in SOURCES)}"
        )
    return [
        checked(PairSet(source.name, source.read(path), source.phenomenon), path) for path, source in found
    ]


def has_files(folder: Path, ending: str) -> bool:
    return any(True for end in (ending, f"{ending}.gz") for _ in folder.glob(f"[!.]*{end}"))


def checked(pairs: PairSet, folder: Path) -> PairSet:
    for paradigm, members in pairs.paradigms.items():
        for pair in members:
            if pair.good == pair.bad:
                raise ValueError(
                    f"{folder}: paradigm {paradigm}: the good sentence is the bad one too: {pair.good!r}; mend one of "
                    "them or leave the pair out"
                )
    return pairs


def world_pairs(count: int, seed: int) -> PairSet:
    """So many pairs of each phenomenon of the embedded world."""
    return PairSet(
        "embedded world",
        {
            name: [MinimalPair(pair.good, pair.bad, name) for pair in minimal_pairs(name, count, seed)]
            for name in PHENOMENA
        },
        world_phenomenon,
    )


def some_of(pairs: PairSet, count: int, seed: int) -> PairSet:
    """At most so many pairs of each paradigm, drawn by lot: files are often sorted by condition."""
    return pairs._replace(
        paradigms={
            name: sample(members, count, f"{seed}/{name}") for name, members in pairs.paradigms.items()
        }
    )


def sample(members: list[MinimalPair], count: int, seed: str) -> list[MinimalPair]:
    if len(members) <= count:
        return members
    return [members[i] for i in sorted(Random(seed).sample(range(len(members)), count))]
