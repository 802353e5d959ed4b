"""Documents of a corpus: a few lines of text each, apart by a blank line where they are written down."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

Document = tuple[str, ...]
"""Lines without space around them, none of them empty; a line is a paragraph, or a sentence that stands alone."""

QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " "})
DASH = re.compile("\\s*—\\s*")
SPACE = re.compile(r"\s+")


def separated(lines: Iterable[str]) -> Iterator[Document]:
    """The lines up to the next blank one, again and again.

    >>> list(separated(["one ", "two", "", " ", "three"]))
    [('one', 'two'), ('three',)]
    """
    for full, group in groupby((line.strip() for line in lines), key=bool):
        if full:
            yield tuple(group)


def alone(lines: Iterable[str]) -> Iterator[Document]:
    """Each line a document.

    >>> list(alone(["one ", "", "two"]))
    [('one',), ('two',)]
    """
    return ((line,) for line in map(str.strip, lines) if line)


def straight_quotes(text: str) -> str:
    """One line, with quotation marks as a keyboard has them.

    >>> straight_quotes("“It’s  late — go.”")
    '"It\\'s late — go."'
    """
    return SPACE.sub(" ", text.translate(QUOTES)).strip()


def typed(text: str) -> str:
    """One line as a typewriter would write it: straight quotation marks, and two hyphens for a dash.

    >>> typed("“It’s  late — go.”")
    '"It\\'s late--go."'
    """
    return straight_quotes(DASH.sub("--", text))
