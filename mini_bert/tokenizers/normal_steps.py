"""The steps by which SentencePiece vocabularies normalize text, one after the other, as a tokenizer.json lists them.

>>> steps = (Replace("''", '"'), UnicodeForm("NFKD"), StripAccents(), Lowercase())
>>> plain(steps, "''ＡÉﬁ''")
'"aefi"'
>>> aligned(steps, "Éﬁ").spans
[(0, 1), (1, 2), (1, 2)]

A step works on bare text, or on text that remembers where its characters came from; both give the same text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from mini_bert.tokenizers.aligned import AlignedText, Change
from mini_bert.tokenizers.characters import LATER_CAPITALS
from mini_bert.tokenizers.older_unicode import MARK, SPACES, UNDISPUTED, DecomposedForm, Form, is_mark
from mini_bert.tokenizers.unicode_forms import composition, decomposition

PATTERNS = {
    r"\s{2,}|[\n\r\t]": f"[{SPACES}]{{2,}}|[\n\r\t]",
    r" {2,}": " {2,}",
}
"""Regular expressions that tokenizer.json files hold, and what they are in Python's language."""

FORMS: dict[Form, tuple[Callable[[DecomposedForm, str], Iterable[Change]], DecomposedForm]] = {
    "NFC": (composition, "NFD"),
    "NFD": (decomposition, "NFD"),
    "NFKC": (composition, "NFKD"),
    "NFKD": (decomposition, "NFKD"),
}

_SURE = re.compile(f"[{UNDISPUTED}]*")
_MARKS = re.compile(f"[{MARK.pattern()}]+")


class Step(Protocol):
    """One step of normalization."""

    def plain(self, text: str) -> str: ...

    def aligned(self, text: AlignedText) -> AlignedText: ...

    def to_json(self) -> dict[str, Any]: ...


def plain(steps: Iterable[Step], text: str) -> str:
    """The normal form of a text."""
    for step in steps:
        text = step.plain(text)
    return text


def aligned(steps: Iterable[Step], text: str) -> AlignedText:
    """The normal form of a text, and where its characters came from."""
    under_way = AlignedText.of(text)
    for step in steps:
        under_way = step.aligned(under_way)
    return under_way


@dataclass(frozen=True)
class Replace:
    """Every occurrence of `found`, a string or one of the known PATTERNS, becomes `content`."""

    found: str
    content: str
    is_pattern: bool = False
    expression: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        written = PATTERNS[self.found] if self.is_pattern else re.escape(self.found)
        object.__setattr__(self, "expression", re.compile(written))

    def plain(self, text: str) -> str:
        if self.is_pattern:
            return self.expression.sub(self.content, text)
        return text.replace(self.found, self.content)

    def aligned(self, text: AlignedText) -> AlignedText:
        return text.replaced((match.span() for match in self.expression.finditer(text.text)), self.content)

    def to_json(self) -> dict[str, Any]:
        kind = "Regex" if self.is_pattern else "String"
        return {"type": "Replace", "pattern": {kind: self.found}, "content": self.content}


@dataclass(frozen=True)
class UnicodeForm:
    """NFC, NFD, NFKC or NFKD."""

    form: Form
    NAMES: ClassVar[tuple[Form, ...]] = (*FORMS,)

    def plain(self, text: str) -> str:
        if text.isascii():
            return text
        if _SURE.fullmatch(text):
            return unicodedata.normalize(self.form, text)
        return "".join(char for char, _ in self._changes(text))

    def aligned(self, text: AlignedText) -> AlignedText:
        return text if text.text.isascii() else text.changed(self._changes(text.text))

    def _changes(self, text: str) -> Iterable[Change]:
        step, form = FORMS[self.form]
        return step(form, text)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.form}


@dataclass(frozen=True)
class StripAccents:
    """Combining marks are left out."""

    def plain(self, text: str) -> str:
        return text if text.isascii() else _MARKS.sub("", text)

    def aligned(self, text: AlignedText) -> AlignedText:
        return text if text.text.isascii() else text.kept(not is_mark(char) for char in text.text)

    def to_json(self) -> dict[str, Any]:
        return {"type": "StripAccents"}


@dataclass(frozen=True)
class Lowercase:
    """Each letter by itself: a sigma at the end of a word is written as any other."""

    def plain(self, text: str) -> str:
        return text.lower() if text.isascii() else text.replace("Σ", "σ").translate(LATER_CAPITALS).lower()

    def aligned(self, text: AlignedText) -> AlignedText:
        return text.changed(
            (letter, int(index > 0)) for char in text.text for index, letter in enumerate(self.plain(char))
        )

    def to_json(self) -> dict[str, Any]:
        return {"type": "Lowercase"}


@dataclass(frozen=True)
class Strip:
    """White space at the ends is left out."""

    left: bool = True
    right: bool = True

    def plain(self, text: str) -> str:
        return text[self._inside(text)]

    def aligned(self, text: AlignedText) -> AlignedText:
        return text[self._inside(text.text)]

    def _inside(self, text: str) -> slice:
        start = len(text) - len(text.lstrip(SPACES)) if self.left else 0
        return slice(start, len(text.rstrip(SPACES)) if self.right else len(text))

    def to_json(self) -> dict[str, Any]:
        return {"type": "Strip", "strip_left": self.left, "strip_right": self.right}


@dataclass(frozen=True)
class Nmt:
    """Control characters are left out; line ends and invisible spaces become spaces."""

    DROPPED: ClassVar = (*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)
    SPACES: ClassVar = (
        9,
        0xA,
        0xC,
        0xD,
        0x1680,
        *range(0x200B, 0x2010),
        0x2028,
        0x2029,
        0x2581,
        0xFEFF,
        0xFFFD,
    )
    TABLE: ClassVar[dict[int, str]] = {**dict.fromkeys(DROPPED, ""), **dict.fromkeys(SPACES, " ")}

    def plain(self, text: str) -> str:
        return text.translate(self.TABLE)

    def aligned(self, text: AlignedText) -> AlignedText:
        kept = text.kept(ord(char) not in self.DROPPED for char in text.text)
        return AlignedText(self.plain(kept.text), kept.spans)

    def to_json(self) -> dict[str, Any]:
        return {"type": "Nmt"}


def steps_json(steps: Sequence[Step]) -> dict[str, Any] | None:
    """The normalizer of a tokenizer.json."""
    return {"type": "Sequence", "normalizers": [step.to_json() for step in steps]} if steps else None
