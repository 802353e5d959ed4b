"""BERT's basic tokenization: clean, isolate Chinese characters, strip accents, lower-case, split punctuation.

>>> Normalizer().words("Où est-il?  Tōkyō (東京).")
['ou', 'est', '-', 'il', '?', 'tokyo', '(', '東', '京', ')', '.']

Each character has one normal form, whatever stands beside it: nothing, a space, or what replaces it. So a text is
normalized by table look-up, and every normalized character knows the one it came from. Devlin et al. 2018.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mini_bert.tokenizers.characters import (
    CHINESE,
    DROPPED,
    LATER_CAPITALS,
    LATER_COMPOSITES,
    MARKS,
    PUNCTUATION,
    SPACES,
    CodePoints,
)

SPACE, DROP, MARK, PUNCT, CJK = map(CodePoints, (SPACES, DROPPED, MARKS, PUNCTUATION, CHINESE))
CHUNKS = re.compile(f"[^{SPACE.pattern()}]+")
NOT_OUR_SPACES = re.compile("[\v\f\x1c-\x1f\x85]")


@dataclass(frozen=True)
class Normalizer:
    """The choices of a BERT vocabulary; `strip_accents=None` means: when lower-casing."""

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True

    def words(self, text: str) -> list[str]:
        """The normalized words and punctuation marks of a text."""
        return [word for word, _ in self.aligned_words(text)]

    def aligned_words(self, text: str) -> Iterator[tuple[str, list[int]]]:
        """Each normalized word, and for each of its characters the place in the text that it came from."""
        word: list[str] = []
        places: list[int] = []
        for place, char in enumerate(text):
            for form in self.forms[char]:
                if form == " " or form in PUNCTUATION_MARKS:
                    if word:
                        yield "".join(word), places
                        word, places = [], []
                    if form != " ":
                        yield form, [place]
                else:
                    word.append(form)
                    places.append(place)
        if word:
            yield "".join(word), places

    def form(self, char: str) -> str:
        """What stands for a character: "" where it is dropped, " " for white space, " 東 " for an ideograph."""
        if self.clean_text and char in DROP:
            return ""
        if char in SPACE or (not self.clean_text and char.isspace() and not "\x1c" <= char <= "\x1f"):
            return " "
        isolated = self.handle_chinese_chars and char in CJK
        if self.lowercase if self.strip_accents is None else self.strip_accents:
            parts = char if char in LATER_COMPOSITES else unicodedata.normalize("NFD", char)
            char = "".join(part for part in parts if part not in MARK)
        if self.lowercase:
            char = "".join(part.translate(LATER_CAPITALS).lower() for part in char)
        return f" {char} " if isolated else char

    @cached_property
    def forms(self) -> CharacterTable:
        return CharacterTable(self)


class CharacterTable(dict[str, str]):
    """Normal forms, worked out once each."""

    def __init__(self, normalizer: Normalizer) -> None:
        super().__init__()
        self.normalizer = normalizer

    def __missing__(self, char: str) -> str:
        self[char] = form = self.normalizer.form(char)
        return form


class PunctuationMarks(dict[str, bool]):
    """Whether a character is punctuation, worked out once each."""

    def __missing__(self, char: str) -> bool:
        self[char] = found = char in PUNCT
        return found

    def __contains__(self, char: object) -> bool:
        return isinstance(char, str) and self[char]


PUNCTUATION_MARKS = PunctuationMarks()


def chunks(text: str) -> list[str]:
    """The text cut at white space: no word crosses it, so that chunks can be worked out once and remembered."""
    return CHUNKS.findall(text) if NOT_OUR_SPACES.search(text) else text.split()
