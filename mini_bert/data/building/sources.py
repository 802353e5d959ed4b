"""The five sources of the pretraining corpus: where each comes from, its licence, and how its files are read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from mini_bert.data.building import fairytales, storybooks
from mini_bert.data.building.documents import Document, alone, separated
from mini_bert.data.building.gutenberg import has_markers, read_book
from mini_bert.data.building.opening import Meter, bare_suffix, lines_of, named_if_broken, unpacked
from mini_bert.data.building.tatoeba import read_sentences
from mini_bert.data.building.wikipedia import read_articles
from mini_bert.errors import unknown

Reader = Callable[[Path, Meter], Iterator[Document]]
PLAIN = ".txt"
MOST_SHOWN = 40
"""Letters of a line."""
MARKERS_WITHIN = 1 << 16
"""Bytes of text: the header of Project Gutenberg is at the beginning of a file."""


@dataclass(frozen=True)
class Source:
    """`form` are the endings of its files as they are published, and how each is read.

    `plain` cuts text that is plain already. `held_out` is the share of documents that training never sees. `misfit`
    tells why a file has nothing to read, though its ending is right, and `passed_over` what such files are.
    """

    name: str
    what: str
    licence: str
    attribution: str
    held_out: float
    form: dict[str, Reader]
    plain: Callable[[Iterable[str]], Iterator[Document]] = separated
    misfit: Callable[[Path], str] = lambda file: ""
    passed_over: str = ""


SOURCES = (
    Source(
        "tatoeba",
        "everyday sentences",
        "CC BY 2.0 FR",
        "Tatoeba and its contributors, https://tatoeba.org",
        0.01,
        {".tsv": read_sentences, ".csv": read_sentences},
        alone,
    ),
    Source(
        "books",
        "classic children's books",
        "public domain in the USA",
        "Project Gutenberg, https://www.gutenberg.org",
        0.03,
        {PLAIN: read_book},
    ),
    Source(
        "tales",
        "fairy tales, in sections",
        "Apache-2.0",
        "FairytaleQA (Xu et al. 2022), https://github.com/uci-soe/FairytaleQAData",
        0.04,
        {".csv": fairytales.read_tale},
        misfit=fairytales.misfit,
        passed_over="other tables than tales",
    ),
    Source(
        "stories",
        "short stories for children",
        "CC BY",
        "Pratham Books and African Storybook, https://github.com/global-asp/pb-source and asp-source",
        0.04,
        {".md": storybooks.read_story},
        misfit=storybooks.misfit,
        passed_over="no stories in English under a licence that allows every use",
    ),
    Source(
        "wikipedia",
        "paragraphs of articles",
        "CC BY-SA",
        "Wikipedia and its contributors, https://en.wikipedia.org",
        0.02,
        {".jsonl": read_articles, ".json": read_articles, "": read_articles},
    ),
)
NAMES = [source.name for source in SOURCES]


@dataclass(frozen=True)
class Text:
    """The files of a source on this machine, and how each is read."""

    source: Source
    readings: tuple[tuple[Path, Reader], ...]

    @property
    def files(self) -> list[Path]:
        return [file for file, _ in self.readings]

    @property
    def bytes(self) -> int:
        return sum(file.stat().st_size for file in self.files)

    @property
    def passed_over(self) -> int:
        """How many of its files have nothing to read, though their ending is right."""
        published = self.source.form.values()
        return sum(bool(self.source.misfit(file)) for file, reader in self.readings if reader in published)

    def documents(self, meter: Meter) -> Iterator[Document]:
        """All documents, from the first."""
        meter.note = self.source.name
        for file, reader in self.readings:
            for document in reader(file, meter):
                if zero := next((line for line in document if "\0" in line), None):
                    before = max(0, zero.index("\0") - MOST_SHOWN // 2)
                    shown = zero[before : before + MOST_SHOWN]
                    raise ValueError(f"{file}: a zero byte in {shown!r}; save it as UTF-8, without any")
                yield document


def source_named(name: str) -> Source:
    for source in SOURCES:
        if source.name == name:
            return source
    raise ValueError(unknown("source", name, NAMES))


def located(name: str, places: Iterable[Path]) -> Text:
    """The text of a source at some places: files and folders as they are published, and files of plain text.

    Places come in the order given, the files of a folder, with all its subfolders, by name.
    """
    source = source_named(name)
    return Text(source, tuple(reading for place in places for reading in readings(source, place)))


def readings(source: Source, place: Path) -> list[tuple[Path, Reader]]:
    if not place.exists():
        raise ValueError(
            f"{source.name}: {place}: no such file or folder; check the name (seen from {Path.cwd()})"
        )
    if place.is_dir():
        files = sorted(file for file in place.rglob("*") if is_published(source, file))
        if not files:
            raise ValueError(
                f"{source.name}: {place}: the folder has no {endings(source)} file; {expected(source)}"
            )
        if all(map(source.misfit, files)):
            refuse(source, files[0])
        return [(file, source.form[bare_suffix(file)]) for file in files]
    if bare_suffix(place) == PLAIN and not (PLAIN in source.form and is_a_book(place)):
        return [(place, lambda file, meter: source.plain(lines_of(file, meter)))]
    if not is_published(source, place):
        raise ValueError(f"{source.name}: {place}: not a {endings(source)} file; {expected(source)}")
    if source.misfit(place):
        refuse(source, place)
    return [(place, source.form[bare_suffix(place)])]


def refuse(source: Source, file: Path) -> NoReturn:
    raise ValueError(f"{source.name}: {file}: {source.misfit(file)}; {expected(source)}")


def is_published(source: Source, file: Path) -> bool:
    hidden = file.name.startswith(".")
    return bare_suffix(file) in source.form and file.is_file() and not hidden


def is_a_book(path: Path) -> bool:
    with named_if_broken(path), path.open("rb") as file, unpacked(file, path) as plain:
        return has_markers(plain.read(MARKERS_WITHIN).decode("latin-1").replace("\r\n", "\n"))


def endings(source: Source) -> str:
    return " or ".join(ending or "extensionless" for ending in source.form)


def expected(source: Source) -> str:
    more = "" if PLAIN in source.form else ", or .txt with plain text"
    return f"name what docs/pretraining.md says, plain, .gz or .bz2{more}"
