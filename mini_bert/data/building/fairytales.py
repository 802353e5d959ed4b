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
    table = csv.DictReader(lines_of(path, meter))
    if COLUMNS.issubset(table.fieldnames or ()):
        sections = tuple(line for row in table if (line := typed(row["text"] or "")))
        if sections:
            yield sections
    else:
        meter.finish(path.stat().st_size)
