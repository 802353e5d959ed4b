"""The text that a vocabulary is learned from: texts, files, or a corpus, and how often each word occurs in it.

counted(texts_from("books/*.txt"), cut=str.split, words=lambda chunk: [chunk.lower()])
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from itertools import chain
from pathlib import Path
from typing import cast

from mini_bert.reports import Report, silent
from mini_bert.tokenizers.arguments import checked_text, checked_texts

FilesOrTexts = Iterable[str | Path] | str | Path
NO_WORD = "the texts hold no word; check that the source is not empty or spent"
LONGEST_NAME = 1000
LONGEST_CHUNK = 100
SLASHES = ("/", os.sep)
REPORT_EVERY = 1 << 20
"""In characters."""


def texts_from(files_or_texts: FilesOrTexts) -> Iterable[str]:
    """The texts themselves; or those in files, if files are given.

    A `Path` is always a file or folder. One string is a file, a folder or a glob such as "books/*.txt". A list
    holds either names of text files, "books/" for a folder, and globs; or texts: a mixture is refused, and so is
    the name of a file that is not there. What an iterator yields are texts, unless it yields paths.
    """
    match files_or_texts:
        case str():
            return _from_string(files_or_texts)
        case Path():
            return _from_files([files_or_texts])
        case Sequence() | Set():
            return _from_collection(files_or_texts)
        case Iterator():
            return _from_iterator(files_or_texts)
    return checked_texts(files_or_texts, "train")


def _from_files(names: Iterable[str | Path]) -> Iterable[str]:
    # Imported where it is needed, as mini_bert.data imports the tokenizers: neither must load the other.
    from mini_bert.data.sources import TextSource

    return TextSource(*names)


def _endings() -> tuple[str, ...]:
    """How the names of text files end."""
    from mini_bert.data.sources import KINDS

    return (*KINDS, ".gz")


def _from_string(name: str) -> Iterable[str]:
    if len(name) < LONGEST_NAME and "\0" not in name:
        path = os.path.expanduser(name)
        if os.path.exists(path) or _matches(path):
            return _from_files([name])
    raise ValueError(
        f"train: {name[:60]!r} is one string and no file; pass a list of texts, train([text]), or the name of a"
        " text file, a folder or a glob that exists"
    )


def _from_collection(items: Sequence[str | Path] | Set[str | Path]) -> Iterable[str]:
    """Names or texts. Only the few strings that look like names are looked for on the disk."""
    endings = _endings()
    files: list[str | Path] = []
    text: str | None = None
    for number, item in enumerate(items):
        if not isinstance(item, str | Path):
            raise ValueError(
                f"train: item {number} is {type(item).__name__}, neither text nor a path; convert it"
            )
        if isinstance(item, Path) or _is_there(item, endings):
            files.append(item)
        elif _is_one_word(item) and item.lower().endswith(endings):
            raise ValueError(
                f"train: {item}: no such file (seen from {Path.cwd()}); check the name, or pass"
                " train(iter(texts)) if it is a text"
            )
        elif text is None:
            text = item
    if files and text is not None:
        raise ValueError(
            f"train: {files[0]} is a file, but {text[:60]!r} is not; pass files only, or texts only"
            " (train(iter(texts)) takes every string for a text)"
        )
    return _from_files(files) if files else cast(Iterable[str], items)


def _from_iterator(items: Iterator[str | Path]) -> Iterable[str]:
    for first in items:
        rest = chain([first], items)
        return _from_files(rest) if isinstance(first, Path) else cast(Iterable[str], rest)
    return []


def _matches(path: str) -> bool:
    return glob.has_magic(path) and next(glob.iglob(path, recursive=True), None) is not None


def _is_there(item: str, endings: tuple[str, ...]) -> bool:
    """Whether a string of a list is a text file, a glob of such, or a folder, written with a slash at its end."""
    if len(item) >= LONGEST_NAME or "\0" in item or not item.lower().endswith((*endings, *SLASHES)):
        return False
    path = os.path.expanduser(item)
    if path.endswith(SLASHES):
        return path.strip("/\\.") != "" and os.path.isdir(path)
    return os.path.isfile(path) or _matches(path)


def _is_one_word(item: str) -> bool:
    return len(item) < LONGEST_NAME and item.isprintable() and " " not in item


def counted(
    texts: Iterable[str],
    cut: Callable[[str], Iterable[str]],
    words: Callable[[str], Iterable[str]],
    report: Report = silent,
) -> Counter[str]:
    """How often each word of the texts occurs. The texts are not kept.

    `cut` makes chunks, most of which come again and are made into `words` once only. Long ones, of which a text
    without spaces consists, do not come again: they are not kept either.
    """
    chunks: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    unreported = 0
    for number, text in enumerate(texts, start=1):
        found = list(cut(checked_text(text, f"train, text {number}")))
        if len(text) > LONGEST_CHUNK and max(map(len, found), default=0) > LONGEST_CHUNK:
            for chunk in found:
                if len(chunk) > LONGEST_CHUNK:
                    counts.update(words(chunk))
            found = [chunk for chunk in found if len(chunk) <= LONGEST_CHUNK]
        chunks.update(found)
        unreported += len(text)
        if unreported >= REPORT_EVERY:
            unreported = 0
            report(_share_read(texts, number), _note(chunks))
    for chunk, count in chunks.items():
        for word in words(chunk):
            counts[word] += count
    report(1.0, _note(chunks))
    return counts


def _share_read(texts: Iterable[str], number: int) -> float:
    """How much of the texts is read: as they say themselves, or by their number, or 0 if nobody knows."""
    by_number = number / len(texts) if isinstance(texts, Sized) else 0.0
    return float(getattr(texts, "progress", by_number))


def _note(chunks: Counter[str]) -> str:
    return f"{len(chunks):,} different words"


def letter_counts(word_counts: Mapping[str, int]) -> dict[str, int]:
    """How often each character occurs, the most frequent first; of equals, the first in the order of Unicode."""
    seen: Counter[str] = Counter()
    for word, count in word_counts.items():
        for char in word:
            seen[char] += count
    return {char: seen[char] for char in sorted(seen, key=lambda char: (-seen[char], char))}
