"""GLUE-style TSV: a text or a pair of texts and its label, in columns. Quotes are text, as in GLUE."""

from collections.abc import Collection

from mini_bert.data.tasks.examples import Labelled
from mini_bert.data.tasks.lines import Line, Source, lines, without_header
from mini_bert.errors import counted, unknown

Column = str | int
"""A header's name, or a number from 0; -1 is the last column."""


def read_tsv(
    source: Source,
    *,
    text: Column,
    label: Column,
    pair: Column | None = None,
    header: bool | None = None,
    labels: Collection[str] | None = None,
) -> list[Labelled]:
    """Labelled texts. With `labels`, any other label is an error.

    A first line with names is expected if a column is given by name, and not if all are given by number; then
    `header=True` says that there is one nevertheless.
    """
    rows = list(lines(source))
    if header is None:
        header = any(isinstance(column, str) for column in (text, label, pair))
    names = rows[0].text.split("\t")
    wanted = [_place(column, names, header, rows[0]) for column in (text, label, pair) if column is not None]
    examples = without_header(rows) if header else rows
    return [_labelled(row, wanted, len(names), labels) for row in examples]


def read_sst2(source: Source) -> list[Labelled]:
    """SST-2: the column `label` is 1 for praise and 0 for blame; the other one, before or after it, is the text."""
    names = next(lines(source)).text.split("\t")
    text = 1 if names[0] == "label" else 0
    return read_tsv(source, text=text, label="label", labels=("0", "1"))


def read_cola(source: Source) -> list[Labelled]:
    """CoLA: source, label (1 acceptable, 0 not), the author's own mark, sentence; no header."""
    return read_tsv(source, text=3, label=1, labels=("0", "1"))


def _place(column: Column, names: list[str], header: bool, first: Line) -> int:
    """The number of a column, from 0."""
    if isinstance(column, int):
        if not -len(names) <= column < len(names):
            raise first.error(f"no column {column}", f"the columns are 0 to {len(names) - 1}")
        return column % len(names)
    if not header:
        raise first.error(f"column {column!r} in a file without header", "give the column's number")
    if column not in names:
        raise first.error(*unknown("column", column, names).split("; ", 1))
    return names.index(column)


def _labelled(row: Line, wanted: list[int], width: int, labels: Collection[str] | None) -> Labelled:
    columns = row.text.split("\t")
    if len(columns) != width:
        raise row.error(
            f"{counted(len(columns), 'column')} where the first line has {width}",
            "put tabs between columns only",
        )
    text, label, *pair = (columns[place].strip() for place in wanted)
    if not all([text, label, *pair]):
        raise row.error("an empty text or label", "fill it in or leave the line out")
    if labels is not None and label not in labels:
        raise row.error(f"label {label!r} is outside the set", f"choose from {', '.join(labels)}")
    return Labelled(text, label, *pair)
