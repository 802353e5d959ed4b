"""How a SentencePiece vocabulary takes text: its normalization, space marks, special tokens and frame, as one value.

>>> ALBERT.normal("''Où''")
'"ou"'
>>> XLNET.frame.single
(('$A', 0), ('<sep>', 0), ('<cls>', 2))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mini_bert.reports import Report, silent
from mini_bert.tokenizers.added import AddedToken, AddedTokens
from mini_bert.tokenizers.aligned import AlignedText
from mini_bert.tokenizers.charsmap import Precompiled
from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.frame import BERT, Frame
from mini_bert.tokenizers.frame import XLNET as XLNET_FRAME
from mini_bert.tokenizers.learning import counted
from mini_bert.tokenizers.normal_steps import (
    PATTERNS,
    Lowercase,
    Nmt,
    Replace,
    Step,
    Strip,
    StripAccents,
    UnicodeForm,
    aligned,
    plain,
)
from mini_bert.tokenizers.space_marks import SpaceMarks


@dataclass(frozen=True)
class Style:
    """All of a Unigram tokenizer but its pieces; `unk` is the token for unknown letters."""

    steps: tuple[Step, ...]
    marks: SpaceMarks
    unk: str
    added: tuple[AddedToken, ...]
    frame: Frame

    def normal(self, text: str) -> str:
        return plain(self.steps, text)

    def aligned(self, text: str) -> AlignedText:
        return aligned(self.steps, text)


QUOTES = (Replace("``", '"'), Replace("''", '"'))
WITHOUT_ACCENTS = (*QUOTES, UnicodeForm("NFKD"), StripAccents())
ONE_LINE = Replace(r"\s{2,}|[\n\r\t]", " ", is_pattern=True)

ALBERT = Style(
    (*WITHOUT_ACCENTS, Lowercase()),
    SpaceMarks(),
    "<unk>",
    tuple(map(AddedToken, ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"))),
    BERT,
)
XLNET = Style(
    WITHOUT_ACCENTS,
    SpaceMarks(),
    "<unk>",
    (
        *map(AddedToken, ("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>")),
        AddedToken("<mask>", lstrip=True),
        *map(AddedToken, ("<eod>", "<eop>")),
    ),
    XLNET_FRAME,
)
DEBERTA_V2 = Style(
    (ONE_LINE, UnicodeForm("NFC"), Strip(left=False)),
    SpaceMarks(at_white_space=False),
    "[UNK]",
    tuple(map(AddedToken, ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"))),
    BERT,
)
STYLES = {"albert": ALBERT, "xlnet": XLNET, "deberta-v2": DEBERTA_V2}


def word_counts(texts: Iterable[str], style: Style, report: Report = silent) -> Counter[str]:
    """How often each marked word occurs, special tokens left out."""
    added = AddedTokens(style.added)

    def stretches(text: str) -> Iterator[str]:
        for stretch in added.split(text):
            if stretch.token is None:
                yield from style.marks.stretches(style.normal(stretch.text), stretch.start) or ()

    counts: Counter[str] = Counter()
    for stretch, count in counted(texts, stretches, report).items():
        for word in style.marks.words_in(stretch):
            counts[word] += count
    return counts


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
