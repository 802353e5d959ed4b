"""Where tasks come from: the embedded world, a folder of labelled sets, sets that were downloaded, one's own files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mini_bert.data.catalogue import names as downloadable
from mini_bert.data.records import is_here, set_folder, verified
from mini_bert.data.tasks import (
    Labelled,
    TaggedSentence,
    read_cola,
    read_conllu,
    read_ner,
    read_sst2,
    read_tsv,
)
from mini_bert.data.tasks.lines import Source
from mini_bert.data.tasks.tsv import Column
from mini_bert.data.world import Sentence, stories
from mini_bert.data.world.parts import WORLD_SEEDS
from mini_bert.errors import unknown
from mini_bert.finetuning.tasks import Example, Metric, Task, labelled_task, labels_of

WORLD_SIZES = {"train": 4000, "dev": 500, "test": 2000}
"""Sentences."""

Reader = Callable[[Path, Sequence[str] | None], Sequence[Example]]
"""A file, and the labels it may have, if they are known → its examples"""


def read_pos(path: Source, known: Sequence[str] | None) -> list[TaggedSentence]:
    return [TaggedSentence(one.words, one.upos, one.text) for one in read_conllu(path)]


def read_entities(path: Source, known: Sequence[str] | None) -> list[TaggedSentence]:
    types = None if known is None else frozenset(name[2:] for name in known if name != "O")
    return read_ner(path, rename={"OTH": "O"}, types=types)


@dataclass(frozen=True)
class Known:
    """A task with a name: its metric, how its files are read, and which folder or downloadable set holds them."""

    metric: Metric
    read: Reader | None = None
    folder: str = ""
    downloadable: str = ""
    of_world: Callable[[Sentence], Example] | None = None


KNOWN = {
    "sentiment": Known("accuracy", of_world=lambda sentence: Labelled(sentence.text, sentence.sentiment)),
    "sst2": Known("accuracy", lambda path, known: read_sst2(path), "sst2", "sst-2"),
    "cola": Known("matthews", lambda path, known: read_cola(path), "cola"),
    "pos": Known("accuracy", read_pos, "ud_ewt", "ud-ewt", lambda sentence: tagged(sentence, "upos")),
    "ner": Known("f1", read_entities, "uner_ewt", of_world=lambda sentence: tagged(sentence, "entity")),
}


def tagged(sentence: Sentence, gold: str) -> TaggedSentence:
    tokens = sentence.tokens
    words, tags = tuple(token.text for token in tokens), tuple(getattr(token, gold) for token in tokens)
    return TaggedSentence(words, tags, sentence.text)


def named_task(name: str, data: Path | None = None) -> Task:
    """A task by its name: from the folder if there is one, else as it was downloaded, else from the world."""
    if name not in KNOWN:
        raise ValueError(unknown("task", name, list(KNOWN)))
    known = KNOWN[name]
    if data is not None and known.folder:
        return from_folder(name, data)
    if known.downloadable and is_here(known.downloadable):
        verified(known.downloadable)
        folder = set_folder(known.downloadable)
        return from_files(name, {split: first_file(folder, split) for split in WORLD_SEEDS})
    if known.of_world is not None:
        return world_task(name)
    raise ValueError(f"{name}: its files are not here; {how_to_get(name)}")


def how_to_get(name: str) -> str:
    known = KNOWN[name]
    fetch = (
        f"fetch them: mini-bert data get {known.downloadable}, or "
        if known.downloadable in downloadable()
        else ""
    )
    return f"{fetch}name a folder with {known.folder}/train.tsv and dev.tsv in it: --data FOLDER"


def from_folder(name: str, data: Path) -> Task:
    folder = data / KNOWN[name].folder
    if not folder.is_dir():
        raise ValueError(
            f"{data}: has no folder {folder.name}, which {name} is read from; choose another --data"
        )
    return from_files(name, {split: first_file(folder, split) for split in WORLD_SEEDS}, folder)


def first_file(folder: Path, split: str) -> Path | None:
    return next(iter(sorted(folder.glob(f"{split}.*"))), None)


def from_files(name: str, paths: dict[str, Path | None], place: Path | None = None) -> Task:
    """A named task from files of its format, by split; test may be missing."""
    known = KNOWN[name]
    if known.read is None:
        raise ValueError(f"{name}: comes from the embedded world, and has no files; leave them out")
    return read_splits(name, paths, known.read, known.metric, place)


def tsv_task(
    paths: dict[str, Path | None],
    *,
    text: Column,
    label: Column,
    pair: Column | None = None,
    name: str = "task",
) -> Task:
    """A task from tab-separated files with these columns. A label that train has not is refused with its line."""

    def read(path: Path, known: Sequence[str] | None) -> list[Labelled]:
        return read_tsv(path, text=text, label=label, pair=pair, labels=known)

    task = read_splits(name, paths, read, "accuracy")
    if any(isinstance(column, str) for column in (text, label, pair)):
        return task
    files = {paths.get(split): getattr(task, split) for split in WORLD_SEEDS}
    notes = [header_suspected(path, examples) for path, examples in files.items() if path]
    return replace(task, notes=tuple(filter(None, notes)))


def header_suspected(path: Path, examples: Sequence[Labelled]) -> str:
    """A note if the first line seems to be a header that was read as an example; else nothing."""
    counts, first = Counter(example.label for example in examples), examples[0].label
    if counts[first] > 1 or len(counts) <= 2:
        return ""
    return (
        f"{path}: the class {first!r} is in the first line only; if that is a header, name the columns as it does,"
        " not by number"
    )


def read_splits(
    name: str, paths: dict[str, Path | None], read: Reader, metric: Metric, place: Path | None = None
) -> Task:
    train, dev, test = (paths.get(split) for split in ("train", "dev", "test"))
    if train is None or dev is None:
        missing = "train" if train is None else "dev"
        where = f"{place}: " if place else f"{name}: "
        raise ValueError(
            f"{where}there is no {missing} file; a task needs train and dev, test if there is one"
        )
    learned = read(train, None)
    labels = tuple(sorted(labels_of(learned)))
    others = [read(path, labels) if path else () for path in (dev, test)]
    return labelled_task(name, learned, *others, metric=metric, origin=str(place or train.parent))


def world_task(name: str, sizes: dict[str, int] | None = None) -> Task:
    """Sentences of the world, each once: train, dev and test tell different stories and share no sentence."""
    known, sizes = KNOWN[name], sizes or WORLD_SIZES
    assert known.of_world is not None
    seen: set[str] = set()
    splits: dict[str, list[Example]] = {}
    for split, seed in WORLD_SEEDS.items():
        found: list[Example] = []
        sentences = (sentence for story in stories(seed) for sentence in story.sentences)
        for sentence in sentences:
            text = sentence.text
            if text not in seen:
                seen.add(text)
                found.append(known.of_world(sentence))
            if len(found) == sizes[split]:
                break
        splits[split] = found
    return labelled_task(
        name, splits["train"], splits["dev"], splits["test"], metric=known.metric, origin="the embedded world"
    )
