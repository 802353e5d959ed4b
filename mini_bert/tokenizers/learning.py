"""The text that a vocabulary is learned from: texts, files, or a corpus, and how often each chunk occurs in it.

counted(texts_from("books/*.txt"), cut=str.split)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

from mini_bert.data.sources import TextSource, is_text_file
from mini_bert.reports import Report, silent

FilesOrTexts = Iterable[str | Path] | str | Path
LONGEST_NAME = 1000
REPORT_EVERY = 2000


def texts_from(files_or_texts: FilesOrTexts) -> Iterable[str]:
    """The texts themselves; or those in files, if files are given.

    A `Path` is always a file or folder. A string is a file if there is a text file of this name, else a text.
    """
    if isinstance(files_or_texts, str | Path):
        if not names_file(files_or_texts):
            raise ValueError(
                f"train: {str(files_or_texts)[:60]!r} is one string and no file; pass a list of texts,"
                " train([text]), or the name of a text file that exists"
            )
        return TextSource(files_or_texts)
    if isinstance(files_or_texts, Sequence) and files_or_texts and all(map(names_file, files_or_texts)):
        return TextSource(*files_or_texts)
    return cast(Iterable[str], files_or_texts)


def names_file(item: str | Path) -> bool:
    return isinstance(item, Path) or (len(item) < LONGEST_NAME and is_text_file(Path(item)))


def counted(
    texts: Iterable[str], cut: Callable[[str], Iterable[str]], report: Report = silent
) -> Counter[str]:
    """How often each chunk of the texts occurs, as `cut` makes them. The texts are not kept."""
    counts: Counter[str] = Counter()
    for number, text in enumerate(texts):
        counts.update(cut(text))
        if number % REPORT_EVERY == 0:
            report(getattr(texts, "progress", 0.0), f"{len(counts):,} different words")
    return counts
