"""Unicode's normal forms, step by step: letters and their marks taken apart, put in order, and joined again.

>>> [(char, change) for char, change in decomposition("NFKD", "ﬁ")]
[('f', 0), ('i', 1)]
>>> list(composition("NFKD", "e\\u0301"))
[('é', -1)]

Python's `unicodedata` gives the same text, but not where its characters came from. Unicode Standard Annex 15.
"""

from collections.abc import Iterator

from mini_bert.tokenizers.aligned import Change
from mini_bert.tokenizers.older_unicode import DecomposedForm, combining_class, composed, decomposed


def decomposition(form: DecomposedForm, text: str) -> Iterator[Change]:
    """NFD or NFKD: the marks that follow a letter are sorted by their class, equal ones in the order of the text."""
    marks: list[Change] = []
    for char in text:
        for index, part in enumerate(decomposed(form, char)):
            change = (part, int(index > 0))
            if combining_class(part):
                marks.append(change)
            else:
                yield from sorted(marks, key=_class)
                marks.clear()
                yield change
    yield from sorted(marks, key=_class)


def composition(form: DecomposedForm, text: str) -> Iterator[Change]:
    """NFC after NFD, NFKC after NFKD: the parts, each joined with the letter before it where they make one character.

    A mark is blocked from its letter by one before it that has not joined and is of the same or a higher class.
    """
    letter: Change | None = None
    marks: list[Change] = []
    for char, change in decomposition(form, text):
        own = combining_class(char)
        if letter is None:
            if own:
                yield char, change
            else:
                letter = char, change
            continue
        blocked = bool(marks) and _class(marks[-1]) >= own
        joined = None if blocked else composed(letter[0], char)
        if joined:
            letter = joined, letter[1] + change - 1
        elif own:
            marks.append((char, change))
        else:
            yield letter
            yield from marks
            letter, marks = (char, change), []
    if letter is not None:
        yield letter
        yield from marks


def _class(change: Change) -> int:
    return combining_class(change[0])
