"""Sentiment trees (Socher et al. 2013): every phrase of a sentence has a mark from 0, very bad, to 4, very good."""

import re
from collections.abc import Iterator, Mapping

from mini_bert.data.tasks.examples import Labelled
from mini_bert.data.tasks.lines import Line, Source, lines
from mini_bert.errors import counted

SST5: Mapping[str, str] = {mark: mark for mark in "01234"}
"""The five classes as they are."""

SST2: Mapping[str, str] = {"0": "0", "1": "0", "3": "1", "4": "1"}
"""Blame and praise: SST-2 is the trees' phrases without the neutral ones."""

_PIECE = re.compile(r"\((?P<mark>[0-4])(?=[ (]) *|(?P<close>\)) *|(?P<word>[^ ()]+) *")
_ESCAPED = {"-LRB-": "(", "-RRB-": ")"}
_REMEDY = "write a tree like (3 (2 It) (4 shines))"


def read_sst_trees(
    source: Source, *, phrases: bool = False, classes: Mapping[str, str] = SST5
) -> list[Labelled]:
    """The sentences, or with `phrases` every phrase; marks that `classes` does not name are left out."""
    return [
        Labelled(text, classes[mark])
        for line in lines(source)
        for text, mark in (_nodes(line) if phrases else _nodes(line)[:1])
        if mark in classes
    ]


def _nodes(line: Line) -> list[tuple[str, str]]:
    """The text and mark of each node, the whole sentence first."""
    words: list[str] = []
    opened: list[tuple[int, int, str]] = []  # a node's number, the words before it, its mark
    nodes: list[tuple[str, str]] = []
    for piece in _pieces(line):
        if mark := piece["mark"]:
            if nodes and not opened:
                raise line.error("text after the tree's end", "write one tree per line")
            opened.append((len(nodes), len(words), mark))
            nodes.append(("", mark))
        elif not opened:
            raise line.error(f"{piece[0].strip()!r} outside of a tree", _REMEDY)
        elif piece["word"]:
            words.append(_ESCAPED.get(piece["word"], piece["word"].replace("\\/", "/")))
        else:
            number, before, mark = opened.pop()
            if before == len(words):
                raise line.error("a phrase without words", _REMEDY)
            nodes[number] = " ".join(words[before:]), mark
    if opened:
        verb = "is" if len(opened) == 1 else "are"
        raise line.error(f"{counted(len(opened), 'bracket')} {verb} not closed", _REMEDY)
    return nodes


def _pieces(line: Line) -> Iterator[re.Match[str]]:
    place, text = 0, line.text.strip(" ")
    while place < len(text):
        piece = _PIECE.match(text, place)
        if piece is None:
            raise line.error(
                f"neither a mark from 0 to 4 nor a word at {text[place : place + 10]!r}", _REMEDY
            )
        yield piece
        place = piece.end()
