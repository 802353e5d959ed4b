"""Fairy tales of FairytaleQA: a CSV file for each, with a number and a text for each section.

    section,text
    1,"Once upon a time there was a girl ..."

The repository has other tables beside them (questions, sentences); those without both columns are passed over.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from mini_bert.data.building.documents import Document, typed
from mini_bert.data.building.opening import Meter, lines_of

COLUMNS = {"section", "text"}


def read_tale(path: Path, meter: Meter) -> Iterator[Document]:
    """One document, a section to a line; none if the table holds something else."""
    if sections := tuple(filter(None, map(typed, texts_of(path, meter)))):
        yield sections


def texts_of(path: Path, meter: Meter) -> Iterator[str]:
    table = csv.DictReader(lines_of(path, meter), strict=True)
    read = 0
    try:
        if not COLUMNS.issubset(table.fieldnames or ()):
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
