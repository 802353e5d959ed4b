"""Fairy tales of FairytaleQA: a CSV file for each, with a number and a text for each section.

    section,text
    1,"Once upon a time there was a girl ..."

The repository has other tables beside them (questions, sentences); in a folder, those without both columns are passed
over.
"""

import csv
from collections.abc import Collection, Iterator
from pathlib import Path

from mini_bert.data.building.documents import Document, typed
from mini_bert.data.building.opening import Meter, lines_of
from mini_bert.reports import silent

COLUMNS = ("section", "text")


def misfit(path: Path) -> str:
    """What is wrong with the first line of a table that is passed over; nothing if it is read, or broken."""
    try:
        names = next(csv.reader(lines_of(path, Meter(1, silent)), strict=True), [])
    except csv.Error:  # `read_tale` says where
        return ""
    if not names or is_tale(names):
        return ""
    return f"no columns {' and '.join(COLUMNS)} in it; it has {', '.join(names)}"


def is_tale(names: Collection[str]) -> bool:
    return set(COLUMNS).issubset(names)


def read_tale(path: Path, meter: Meter) -> Iterator[Document]:
    """One document, a section to a line; none if the table holds something else."""
    if sections := tuple(filter(None, map(typed, texts_of(path, meter)))):
        yield sections


def texts_of(path: Path, meter: Meter) -> Iterator[str]:
    table = csv.DictReader(lines_of(path, meter), strict=True)
    read = 0
    try:
        if not is_tale(table.fieldnames or ()):
            meter.finish(path.stat().st_size)
            return
        read = table.line_num
        for row in table:
            yield row["text"] or ""
            read = table.line_num
    except csv.Error as error:
        raise ValueError(
            f"{path}:{read + 1}: the row that begins here cannot be read ({error}); close its quotation marks, or cut "
            "its text into sections"
        ) from error
