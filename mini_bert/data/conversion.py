"""From the files that others publish to the plain ones that our readers take, a piece at a time.

| conversion | writes |
| --- | --- |
| `wikitext` | .txt: a paragraph a line, a blank line between articles |
| `tinystories` | .txt: a paragraph a line, a blank line between stories |
| `sst2` | .tsv: sentence and label, as GLUE has it |
| `blimp` | .jsonl: a minimal pair a line |
| `unchanged` | the same bytes, not compressed |
"""

import gzip
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from mini_bert.data.optional import optional
from mini_bert.errors import unknown

Conversion = Callable[[Sequence[Path], Path], None]
"""conversion(files as published, the plain file to write)"""

HEADING = re.compile(r"(?:= )+(.+?)(?: =)+")
TITLE = re.compile(r"= (?!= ).+(?<! =) =")
JOINT = re.compile(r" @([-,.])@ ")
END_OF_STORY = "<|endoftext|>"
NO_LABEL = -1
BATCH_ROWS = 1024


def wikitext(published: Sequence[Path], plain: Path) -> None:
    """WikiText: headings without their equal signs, and numbers and hyphens joined again (`1 @,@ 000`)."""
    write_blocks(articles(line for path in published for line in rows_or_lines(path)), plain)


def articles(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a page, and "" before the next.

    >>> list(articles([" = Owl = ", "", " An owl hunts 1 @.@ 5 mice . ", " = = Food = = ", " = Hen = "]))
    ['Owl', 'An owl hunts 1.5 mice .', 'Food', '', 'Hen']
    """
    begun = False
    for line in map(str.strip, lines):
        if TITLE.fullmatch(line) and begun:
            yield ""
        begun = begun or bool(line)
        heading = HEADING.fullmatch(line)
        if line:
            yield heading[1] if heading else JOINT.sub(r"\1", line)


def tinystories(published: Sequence[Path], plain: Path) -> None:
    """TinyStories: a blank line in place of each end-of-text mark, and none inside a story."""
    write_blocks(stories(line for path in published for line in rows_or_lines(path)), plain)


def stories(lines: Iterable[str]) -> Iterator[str]:
    """
    >>> list(stories(["One day.", "", "The end.", "<|endoftext|>", "Tim ran.<|endoftext|>"]))
    ['One day.', 'The end.', '', 'Tim ran.', '']
    """
    for line in lines:
        text, *ends = line.split(END_OF_STORY)
        if text.strip():
            yield text.strip()
        for more in ends:
            yield ""
            if more.strip():
                yield more.strip()


def sst2(published: Sequence[Path], plain: Path) -> None:
    """SST-2: what has a label."""
    with written(plain) as file:
        file.write("sentence\tlabel\n")
        for path in published:
            for sentence, label in parquet_rows(path, "sentence", "label"):
                if label != NO_LABEL:
                    file.write(f"{' '.join(sentence.split())}\t{label}\n")


def blimp(published: Sequence[Path], plain: Path) -> None:
    """BLiMP: the two sentences of a pair and the name of its paradigm."""
    names = ("sentence_good", "sentence_bad", "UID")
    with written(plain) as file:
        for path in published:
            for row in parquet_rows(path, *names):
                file.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")


def unchanged(published: Sequence[Path], plain: Path) -> None:
    with plain.open("wb") as target:
        for path in published:
            with opened(path) as source:
                shutil.copyfileobj(source, target)


def rows_or_lines(path: Path) -> Iterator[str]:
    """The column `text` of a parquet file, or the lines of a text file."""
    if path.suffix == ".parquet":
        for (text,) in parquet_rows(path, "text"):
            yield from text.splitlines()
    else:
        with opened(path) as file:
            for line in file:
                yield line.decode(errors="replace")


def opened(path: Path) -> BinaryIO:
    """A file, or what is in it if it is compressed."""
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def parquet_rows(path: Path, *columns: str) -> Iterator[tuple[Any, ...]]:
    """The named columns of a parquet file, row by row; only a batch of rows is in memory."""
    parquet = optional("pyarrow.parquet", f"reading {path.name}")
    try:
        file = parquet.ParquetFile(path)
    except ValueError as error:
        raise ValueError(f"{path}: not a parquet file ({error}); fetch it again") from error
    with file:
        names = file.schema_arrow.names
        for column in columns:
            if column not in names:
                raise ValueError(f"{path}: {unknown('column', column, names)}")
        for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
            table = batch.to_pydict()
            yield from zip(*(table[column] for column in columns), strict=True)


def write_blocks(lines: Iterable[str], plain: Path) -> None:
    """Lines, with at most one blank one between two others."""
    with written(plain) as file:
        blank = True
        for line in lines:
            if line or not blank:
                file.write(f"{line}\n")
            blank = not line


def written(plain: Path) -> TextIO:
    return plain.open("w", encoding="utf-8", newline="\n")
