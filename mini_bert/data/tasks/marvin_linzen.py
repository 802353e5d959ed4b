"""Marvin and Linzen (2018): agreement, reflexives and negative polarity, as TSV of case, good and bad sentence."""

from mini_bert.data.tasks.examples import MinimalPair
from mini_bert.data.tasks.lines import Line, Source, lines, read_folder, stem


def read_marvin_linzen(source: Source) -> list[MinimalPair]:
    """The pairs of one file; the paradigm is the file's name.

    Polarity files have two bad sentences for a good one: each makes a pair, the two of them side by side.
    """
    paradigm = stem(source, ".tsv")
    return [pair for line in lines(source) for pair in _pairs(line, paradigm)]


def read_marvin_linzen_folder(folder: Source) -> dict[str, list[MinimalPair]]:
    return read_folder(folder, ".tsv", read_marvin_linzen)


def _pairs(line: Line, paradigm: str) -> list[MinimalPair]:
    columns = [column.strip() for column in line.text.split("\t")]
    if len(columns) < 3 or not all(columns):
        raise line.error("not case, good and bad sentence", "write the three with tabs between them")
    case, good, *bad_ones = columns
    return [MinimalPair(good, bad, paradigm, case) for bad in bad_ones]
