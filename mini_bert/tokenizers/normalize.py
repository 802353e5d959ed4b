"""BERT's basic tokenization: clean, isolate CJK characters, lower-case, strip accents, split punctuation.

>>> split_words("Où est-il?  Tōkyō (東京).")
['ou', 'est', '-', 'il', '?', 'tokyo', '(', '東', '京', ')', '.']

Each step is a rule from one character to what replaces it. Devlin et al. 2018, uncased.
"""

import string
import unicodedata
from collections.abc import Callable

WHITESPACE = frozenset(" \t\n\r")
PUNCTUATION = frozenset(string.punctuation)
CJK_RANGES = (
    (0x4E00, 0x9FFF),  # unified ideographs
    (0x3400, 0x4DBF),  # extension A
    (0x20000, 0x2A6DF),  # extension B
    (0x2A700, 0x2CEAF),  # extensions C, D, E
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0x2F800, 0x2FA1F),  # compatibility supplement
)


def is_whitespace(char: str) -> bool:
    return char in WHITESPACE or unicodedata.category(char) == "Zs"


def is_control(char: str) -> bool:
    """Unicode C*: control, format, private, surrogate and unassigned; and U+FFFD, a sign of lost text."""
    return char not in WHITESPACE and (char == "\ufffd" or unicodedata.category(char).startswith("C"))


def is_cjk(char: str) -> bool:
    """A Chinese character, a word by itself. Kana and Hangul are not: their words have several letters."""
    return any(first <= ord(char) <= last for first, last in CJK_RANGES)


def is_accent(char: str) -> bool:
    """A mark that takes no room of its own (Mn), as NFD sets it apart from its letter."""
    return unicodedata.category(char) == "Mn"


def is_punctuation(char: str) -> bool:
    """Unicode P*, and every ASCII symbol: `$`, `+` and `~` are no P*, but stand apart as commas do."""
    return char in PUNCTUATION or unicodedata.category(char).startswith("P")


class CharacterRule(dict[int, str]):
    """A table for `str.translate`, filled on demand: a character's category is looked up once."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self.rule = rule

    def __missing__(self, code: int) -> str:
        self[code] = replacement = self.rule(chr(code))
        return replacement


_CLEAN = CharacterRule(lambda c: "" if is_control(c) else " " if is_whitespace(c) else c)
_ISOLATE_CJK = CharacterRule(lambda c: f" {c} " if is_cjk(c) else c)
_DROP_ACCENTS = CharacterRule(lambda c: "" if is_accent(c) else c)
_ISOLATE_PUNCTUATION = CharacterRule(lambda c: f" {c} " if is_punctuation(c) else c)


def clean(text: str) -> str:
    """Control characters dropped, every kind of white space made a plain space."""
    return text.translate(_CLEAN)


def isolate_cjk(text: str) -> str:
    return text.translate(_ISOLATE_CJK)


def strip_accents(text: str) -> str:
    """NFD sets each accent after its letter; the accents are then dropped."""
    return unicodedata.normalize("NFD", text).translate(_DROP_ACCENTS)


def isolate_punctuation(text: str) -> str:
    return text.translate(_ISOLATE_PUNCTUATION)


def normalize(text: str) -> str:
    """A text's words in lower case without accents, one space apart; normalizing again changes nothing."""
    return " ".join(split_words(text))


def split_words(text: str) -> list[str]:
    """Words and punctuation marks. A `#` is always alone, so no word can be taken for a `##` piece."""
    return isolate_punctuation(strip_accents(isolate_cjk(clean(text)).lower())).split()
