"""Corpora by name: the text a model learns from, which can be read again and again.

corpus("world")                       # the embedded world: 10,000 stories, 4.7 MB, told in a few seconds
corpus("world:20000")                 # so many stories
corpus("python-docs")                 # the prose in Python's own documentation
corpus("wikitext-2")                  # a set that `mini-bert data get` has fetched
corpus("books/", "news-*.txt.gz")     # files, folders, globs; one that is called world is ./world
corpus("world", "python-docs")        # one after the other

for document in corpus("world"): ...
"""

import glob
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path

from mini_bert.data import world
from mini_bert.data.catalogue import local_paths
from mini_bert.data.catalogue import names as set_names
from mini_bert.data.fingerprints import hashed
from mini_bert.data.harvest import PYTHON_DOCS, harvested_docs
from mini_bert.data.sources import FORMAT, STDIN, EncodingErrors, TextSource, Unit
from mini_bert.data.stamps import remembered, stamps
from mini_bert.errors import unknown
from mini_bert.files import cache_folder

WORLD = "world"
NAMES = (WORLD, PYTHON_DOCS)
COUNT = re.compile("[0-9]+(_[0-9]+)*")
STORIES = 10_000
REMEMBERED_STORIES = 50_000
"""About 25 MB; training a tokenizer and then encoding with it need not tell them twice."""


class Corpus(ABC):
    """Documents in an order that never changes. `name` is for people."""

    name: str

    @abstractmethod
    def __iter__(self) -> Iterator[str]:
        """All documents, from the first."""

    @abstractmethod
    def fingerprint(self) -> str:
        """A hash that changes when the text does."""

    def known_fingerprint(self, folder: Path) -> str:
        """The fingerprint; if it takes long to find, it is kept in a folder for the next time."""
        return self.fingerprint()

    @property
    @abstractmethod
    def progress(self) -> float:
        """The share of the text, from 0 to 1, that the present pass has read."""

    @property
    def paths(self) -> list[Path]:
        """The files that are read, if any are."""
        return []

    @property
    @abstractmethod
    def replaced(self) -> int:
        """How many bytes that were not UTF-8 the present pass has replaced."""

    def __repr__(self) -> str:
        return f"<corpus {self.name}>"


def needs_corpus(text: object) -> None:
    """Texts without a name and a fingerprint cannot be found again."""
    if not isinstance(text, Corpus):
        raise TypeError(
            f"{type(text).__name__} is not a corpus; pass one: corpus('my.txt') or corpus('world')"
        )


def corpus(
    *names: str | Path,
    unit: Unit = "paragraph",
    text_field: str = "text",
    encoding_errors: EncodingErrors = "replace",
    folder: Path | None = None,
) -> Corpus:
    """The corpus of a name, of paths, or of several.

    A `Path` is always a path, never a name. `unit`, `text_field` and `encoding_errors` are those of `TextSource`.
    `folder` is where harvested text is kept, else `cache_folder()`.
    """
    if not names:
        raise ValueError(f"no corpus named; choose {' or '.join(NAMES)}, or name files")
    parts: list[Corpus] = []
    for is_name, group in groupby(names, is_a_name):
        if is_name:
            parts += (named(str(name), folder or cache_folder()) for name in group)
        else:
            paths = [path for name in group for path in located(name)]
            source = TextSource(*paths, unit=unit, text_field=text_field, encoding_errors=encoding_errors)
            parts.append(files(paths, source))
    return parts[0] if len(parts) == 1 else Joined(parts)


def is_a_name(source: str | Path) -> bool:
    return isinstance(source, str) and source.partition(":")[0] in NAMES


def named(name: str, folder: Path) -> Corpus:
    if name == PYTHON_DOCS:
        return Files(name, lambda: harvested_docs(folder))
    return World(stories_in(name))


def files(paths: list[str | Path], source: TextSource) -> Corpus:
    return Files(", ".join(map(str, paths)), lambda: source)


def stories_in(name: str) -> int:
    """How many stories "world" or "world:20000" stands for."""
    kind, _, count = name.partition(":")
    if name == WORLD:
        return STORIES
    if kind != WORLD or not COUNT.fullmatch(count) or int(count) < 1:
        raise ValueError(
            f"{name}: not a corpus; write {WORLD}:20000 for so many stories, or ./{name} if it is a file"
        )
    return int(count)


def located(source: str | Path) -> Sequence[str | Path]:
    """The files of a downloaded set, verified, or a path as it is; a word that is neither may be a typing error."""
    if isinstance(source, Path):
        return [source]
    if (paths := local_paths(source)) is not None:
        return paths
    if is_bare_word(source) and not Path(source).exists():
        known = [*NAMES, *set_names()]
        raise ValueError(
            f"{source}: no such file or folder (seen from {Path.cwd()}), and {unknown('corpus', source, known)}"
        )
    return [source]


def is_bare_word(source: str) -> bool:
    path = Path(source)
    return source != str(STDIN) and path.name == source and not path.suffix and not glob.has_magic(source)


class World(Corpus):
    """The first `count` stories of the embedded world, a document each; another seed tells others."""

    replaced = 0

    def __init__(self, count: int = STORIES, seed: int = 0) -> None:
        self.count, self.seed = count, seed
        self.name = f"{WORLD}:{count}" + (f" with seed {seed}" if seed else "")
        self._told: list[str] = []
        self._read = 0

    def __iter__(self) -> Iterator[str]:
        for number in range(self.count):
            if number < len(self._told):
                text = self._told[number]
            else:
                text = world.story(number, self.seed).text
                if number == len(self._told) < REMEMBERED_STORIES:
                    self._told.append(text)
            self._read = number + 1
            yield text

    def fingerprint(self) -> str:
        """Of the program that tells the stories: they depend on nothing else, and need not be told."""
        return hashed([WORLD, self.count, self.seed, world_version()])

    @property
    def progress(self) -> float:
        return self._read / self.count


def world_version() -> str:
    """A hash of the world's source, whatever its line ends."""
    files = sorted(Path(world.__file__).parent.rglob("*.py"))
    return hashed([file.read_text(encoding="utf-8") for file in files])


class Files(Corpus):
    """Text from files, which are looked for when they are needed."""

    def __init__(self, name: str, find: Callable[[], TextSource]) -> None:
        self.name, self._find = name, find

    @cached_property
    def source(self) -> TextSource:
        return self._find()

    def __iter__(self) -> Iterator[str]:
        return iter(self.source)

    def fingerprint(self) -> str:
        return self.source.fingerprint()

    def known_fingerprint(self, folder: Path) -> str:
        """Text of 2 GB is not read anew at each start: files of the same sizes and dates are the same."""
        source = self.source
        if STDIN in source.paths:
            return self.fingerprint()
        settings: list[object] = [FORMAT, source.unit, source.text_field, source.encoding_errors]
        return remembered(folder / "fingerprints", settings, stamps(source.paths), self.fingerprint)

    @property
    def progress(self) -> float:
        return self.source.progress

    @property
    def paths(self) -> list[Path]:
        return self.source.paths

    @property
    def replaced(self) -> int:
        return self.source.replaced


class Joined(Corpus):
    """Several corpora, one after the other."""

    def __init__(self, parts: list[Corpus]) -> None:
        self.parts = parts
        self.name = " + ".join(part.name for part in parts)
        self._finished = 0

    def __iter__(self) -> Iterator[str]:
        self._finished = 0
        for part in self.parts:
            yield from part
            self._finished += 1

    def fingerprint(self) -> str:
        return hashed([part.fingerprint() for part in self.parts])

    def known_fingerprint(self, folder: Path) -> str:
        return hashed([part.known_fingerprint(folder) for part in self.parts])

    @property
    def progress(self) -> float:
        now = [part.progress for part in self.parts[self._finished : self._finished + 1]]
        return (self._finished + sum(now)) / len(self.parts)

    @property
    def paths(self) -> list[Path]:
        return [path for part in self.parts for path in part.paths]

    @property
    def replaced(self) -> int:
        return sum(part.replaced for part in self.parts[: self._finished + 1])
