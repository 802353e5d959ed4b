"""CoNLL-U, the ten columns of Universal Dependencies (https://universaldependencies.org/format.html).

The tree is over *syntactic words*. A multiword token (`1-2 didn't`) is only how words 1 and 2 were written, and an
empty node (`8.1`) belongs to the enhanced graph: neither is a word here.
"""

import re
from collections.abc import Iterator

from mini_bert.data.tasks.examples import DependencySentence
from mini_bert.data.tasks.lines import Line, Source, blocks
from mini_bert.errors import counted

OPEN_CLASS = frozenset({"ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB"})
CLOSED_CLASS = frozenset({"ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"})
UPOS = OPEN_CLASS | CLOSED_CLASS | {"PUNCT", "SYM", "X"}

_ID, _FORM, _UPOS, _HEAD, _RELATION, _MISC = 0, 1, 3, 6, 7, 9
_NUMBER = "[0-9]{1,6}"
_WORD = re.compile(_NUMBER)
_SPAN = re.compile(f"{_NUMBER}-{_NUMBER}")
_EMPTY = re.compile(rf"{_NUMBER}\.{_NUMBER}")

Row = tuple[Line, list[str]]


def read_conllu(source: Source) -> list[DependencySentence]:
    """The sentences, each checked to be a tree."""
    return [_sentence(block) for block in blocks(source)]


def written_text(block: list[Line]) -> str | None:
    """What the comment `# text = ...` says."""
    return next((line.text[9:] for line in block if line.text.startswith("# text = ")), None)


def _sentence(block: list[Line]) -> DependencySentence:
    rows = [(line, _columns(line)) for line in block if not line.text.startswith("#")]
    words = [row for row in rows if _WORD.fullmatch(row[1][_ID])]
    spans = dict(_span(*row, len(words)) for row in rows if _SPAN.fullmatch(row[1][_ID]))
    if not words:
        raise block[0].error("a sentence without words", "leave its comments out")
    _check_numbers(words)
    heads = tuple(_head(line, columns, len(words)) for line, columns in words)
    _check_tree(heads, words)
    return DependencySentence(
        words=tuple(columns[_FORM] for _, columns in words),
        upos=tuple(_upos(line, columns[_UPOS]) for line, columns in words),
        heads=heads,
        relations=tuple(columns[_RELATION] for _, columns in words),
        space_after=tuple(_spaces(words, spans)),
        text=written_text(block) or _joined(words, spans),
    )


def _columns(line: Line) -> list[str]:
    columns = line.text.split("\t")
    if len(columns) != 10:
        raise line.error(counted(len(columns), "column"), "CoNLL-U has 10, with tabs between them")
    if not all(columns):
        raise line.error("an empty column", "write _ for nothing")
    if not any(kind.fullmatch(columns[_ID]) for kind in (_WORD, _SPAN, _EMPTY)):
        raise line.error(
            f"{columns[_ID]!r} is no id", "write 3 for a word, 3-4 for a span, 3.1 for an empty node"
        )
    return columns


Spans = dict[int, tuple[int, list[str]]]
"""Multiword tokens: first word -> last word and the token's columns."""


def _span(line: Line, columns: list[str], length: int) -> tuple[int, tuple[int, list[str]]]:
    first, last = map(int, columns[_ID].split("-"))
    if not 0 < first < last <= length:
        raise line.error(f"span {columns[_ID]}", f"write first-last, rising, with words from 1 to {length}")
    return first, (last, columns)


def _check_numbers(words: list[Row]) -> None:
    for number, (line, columns) in enumerate(words, 1):
        if int(columns[_ID]) != number:
            raise line.error(f"word {columns[_ID]} where {number} is due", "number the words 1, 2, 3...")


def _head(line: Line, columns: list[str], length: int) -> int:
    head = columns[_HEAD]
    if not _WORD.fullmatch(head) or int(head) > length:
        raise line.error(f"head {head!r}", f"give a number from 0, the root's, to {length}")
    return int(head)


def _check_tree(heads: tuple[int, ...], words: list[Row]) -> None:
    roots = heads.count(0)
    if roots != 1:
        raise words[0][0].error(f"a sentence with {roots} roots", "give exactly one word the head 0")
    reached = {0}
    for number, (line, _) in enumerate(words, 1):
        path: list[int] = []
        while number not in reached:
            if number in path:
                raise line.error("the heads run in a circle", "let each word lead to the root")
            path.append(number)
            number = heads[number - 1]
        reached.update(path)


def _upos(line: Line, tag: str) -> str:
    if tag not in UPOS:
        raise line.error(
            f"part of speech {tag!r} is outside the set", f"choose from {', '.join(sorted(UPOS))}"
        )
    return tag


def _spaces(words: list[Row], spans: Spans) -> Iterator[bool]:
    """Whether a space follows each word: in a multiword token, only after its last and if the token says so."""
    token_end, token = 0, words[0][1]
    for number, (_, columns) in enumerate(words, 1):
        token_end, token = spans.get(number, (token_end, token))
        if number <= token_end:
            yield number == token_end and _space(token)
        else:
            yield _space(columns)


def _joined(words: list[Row], spans: Spans) -> str:
    """The text from what was written: a multiword token stands for its words."""
    pieces: list[str] = []
    token_end = 0
    for number, (_, columns) in enumerate(words, 1):
        if number > token_end:
            token_end, columns = spans.get(number, (number, columns))
            pieces.append(columns[_FORM] + " " * _space(columns))
    return "".join(pieces).rstrip()


def _space(columns: list[str]) -> bool:
    return "SpaceAfter=No" not in columns[_MISC].split("|")
