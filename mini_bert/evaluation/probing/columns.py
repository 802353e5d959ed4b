"""Labels of one's own: any column of a file with a word on each line and a blank line after each sentence.

Columns are numbered from 0, as in the other readers; -1 is the last. Where every line begins with a number, as in
CoNLL-U, words are in column 1, lines that begin with # are comments, and lines numbered 3-4 or 3.1, which are no
words, are passed over; else words are in column 0, and # is a word.
"""

from __future__ import annotations

import re
from pathlib import Path

from mini_bert.data.tasks.lines import Line, blocks
from mini_bert.data.tasks.ner import DOCUMENT_START
from mini_bert.errors import counted
from mini_bert.evaluation.probing.annotation import each_word
from mini_bert.evaluation.probing.sources import Files, given
from mini_bert.evaluation.probing.task import Annotated, Given

NUMBERED = re.compile(r"\d+(?:[-.]\d+)?")
NOTHING = "_"


def from_columns(files: Files, column: int, word_column: int | None = None) -> Given:
    """Words and their labels in that column, from each file."""
    found = {part: read_columns(path, column, word_column) for part, path in files.parts()}
    return given(files, found)


def read_columns(path: Path, column: int, word_column: int | None = None) -> list[Annotated]:
    sentences = list(blocks(path))
    numbered = are_numbered(sentences)
    word = int(numbered) if word_column is None else word_column
    found = []
    for block in sentences:
        rows = [row for row in block if is_word(row, numbered)]
        if rows:
            words = tuple(cell(row, word, "word") for row in rows)
            labels = tuple(label(row, column, word) for row in rows)
            found.append(Annotated(words, each_word(len(words)), labels))
    if not found:
        raise ValueError(f"{path}: no words in this file; give one with a word and its label on each line")
    return found


def are_numbered(sentences: list[list[Line]]) -> bool:
    rows = (line for block in sentences for line in block if not line.text.startswith("#"))
    return all(NUMBERED.fullmatch(line.columns()[0]) for line in rows)


def is_word(line: Line, numbered: bool) -> bool:
    first = line.columns()[0]
    return first.isdecimal() if numbered else first != DOCUMENT_START


def cell(line: Line, number: int, what: str) -> str:
    columns = line.columns()
    if not -len(columns) <= number < len(columns):
        raise line.error(
            f"no column {number} for the {what}: there {'is' if len(columns) == 1 else 'are'} "
            f"{counted(len(columns), 'column')}",
            f"they are numbered from 0, so choose from 0 to {len(columns) - 1}",
        )
    return columns[number]


def label(line: Line, number: int, word: int) -> str:
    found = cell(line, number, "label")
    width = len(line.columns())
    if number % width == word % width:
        raise line.error(
            f"column {number} holds the words themselves",
            "choose that of the labels (columns are numbered from 0)",
        )
    if found.strip() in ("", NOTHING):
        raise line.error(
            f"no label in column {number}, which is {found!r}",
            "give every word one, or choose another column",
        )
    return found
