"""Steps of normalization from a tokenizer.json.

>>> steps_from_json(Description({"type": "NFC"}, "tokenizer.json", "normalizer"))
(UnicodeForm(form='NFC'),)
"""

from __future__ import annotations

from collections.abc import Callable

from mini_bert.tokenizers.charsmap import Precompiled
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.normal_steps import (
    PATTERNS,
    Lowercase,
    Nmt,
    Replace,
    Step,
    Strip,
    StripAccents,
    UnicodeForm,
)


def steps_from_json(normalizer: Description | None) -> tuple[Step, ...]:
    """The steps of a normalizer, which may be a sequence of others; none if there is none."""
    if normalizer is None:
        return ()
    kind = normalizer.text("type")
    if kind == "Sequence":
        return tuple(step for part in normalizer.parts("normalizers") for step in steps_from_json(part))
    if kind not in READERS:
        raise normalizer.unsupported("type", kind, ["Sequence", *READERS])
    return (READERS[kind](normalizer),)


def _replace(entry: Description) -> Step:
    pattern, content = entry.needed_part("pattern"), entry.text("content")
    if "Regex" not in pattern.content:
        if not (found := pattern.text("String")):
            raise pattern.error("expected text, found none", "String")
        return Replace(found, content)
    expression = pattern.text("Regex")
    if expression not in PATTERNS:
        raise pattern.unsupported("Regex", expression, list(PATTERNS))
    return Replace(expression, content, is_pattern=True)


def _strip(entry: Description) -> Step:
    return Strip(entry.flag("strip_left", True), entry.flag("strip_right", True))


READERS: dict[str, Callable[[Description], Step]] = {
    "Replace": _replace,
    "Strip": _strip,
    "StripAccents": lambda _: StripAccents(),
    "Lowercase": lambda _: Lowercase(),
    "Nmt": lambda _: Nmt(),
    "Precompiled": Precompiled.from_json,
    "NFC": lambda _: UnicodeForm("NFC"),
    "NFD": lambda _: UnicodeForm("NFD"),
    "NFKC": lambda _: UnicodeForm("NFKC"),
    "NFKD": lambda _: UnicodeForm("NFKD"),
}
