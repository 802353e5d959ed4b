"""The frame around a text, and around two: which special tokens stand where, and the segment of each token.

>>> BERT.pair
(('[CLS]', 0), ('$A', 0), ('[SEP]', 0), ('$B', 1), ('[SEP]', 1))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mini_bert.tokenizers.description import Description
from mini_bert.tokenizers.encoding import RIGHT, Padding

FIRST, SECOND = TEXTS = ("$A", "$B")

Template = tuple[tuple[str, int], ...]
"""Special tokens and the places of the texts, $A and $B, each with its segment."""


@dataclass(frozen=True)
class Frame:
    """A template for one text and one for a pair, and where padding goes."""

    single: Template
    pair: Template
    padding: Padding = RIGHT

    def __post_init__(self) -> None:
        for template, texts in ((self.single, [FIRST]), (self.pair, list(TEXTS))):
            if sorted(entry for entry, _ in template if entry in TEXTS) != texts:
                raise ValueError(f"a template must hold {' and '.join(texts)} once; this one is {template}")

    @classmethod
    def written(cls, single: str, pair: str, padding: Padding = RIGHT) -> Frame:
        """From templates such as "[CLS] $A [SEP] $B:1 [SEP]:1"; the segment is 0 where none is written."""
        one, two = (tuple(map(_entry, template.split())) for template in (single, pair))
        return cls(one, two, padding)

    def template(self, is_pair: bool) -> Template:
        return self.pair if is_pair else self.single

    def size(self, is_pair: bool) -> int:
        """How many special tokens are added."""
        return sum(entry not in TEXTS for entry, _ in self.template(is_pair))

    def tokens(self) -> list[str]:
        """The special tokens that the templates name."""
        return list(dict.fromkeys(entry for entry, _ in self.single + self.pair if entry not in TEXTS))

    def around(self) -> tuple[list[str], list[str]]:
        """The special tokens before and after a single text."""
        entries = [entry for entry, _ in self.single]
        place = entries.index(FIRST)
        return entries[:place], entries[place + 1 :]

    def to_json(self, ids: dict[str, int]) -> dict[str, Any]:
        """The post-processor of a tokenizer.json."""
        return {
            "type": "TemplateProcessing",
            "single": [_entry_json(*entry) for entry in self.single],
            "pair": [_entry_json(*entry) for entry in self.pair],
            "special_tokens": {
                token: {"id": token, "ids": [ids[token]], "tokens": [token]} for token in self.tokens()
            },
        }

    @classmethod
    def from_json(cls, processor: Description | None) -> Frame:
        """The frame that a post-processor lays; none if there is none.

        A post-processor knows nothing of padding, but whoever has XLNet's templates pads as XLNet does.
        """
        kind = processor.text("type") if processor else "ByteLevel"
        if processor is None or kind == "ByteLevel":
            return NO_FRAME
        if kind == "TemplateProcessing":
            single, pair = (
                tuple(_entry_from_json(entry) for entry in processor.parts(name))
                for name in ("single", "pair")
            )
            try:
                return cls(single, pair, XLNET.padding if single == XLNET.single else RIGHT)
            except ValueError as error:
                raise processor.error(str(error)) from None
        if kind in ("BertProcessing", "RobertaProcessing"):
            first, last = (_token_of(processor, name) for name in ("cls", "sep"))
            alone = ((first, 0), (FIRST, 0), (last, 0))
            between, segment = (((last, 0),), 0) if kind == "RobertaProcessing" else ((), 1)
            return cls(alone, (*alone, *between, (SECOND, segment), (last, segment)))
        raise processor.unsupported(
            "type",
            kind,
            ["TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel"],
        )


def _token_of(processor: Description, name: str) -> str:
    match processor.items(name):
        case [str(token), *_]:
            return token
    raise processor.error("expected a token and its id", name)


def _entry(written: str) -> tuple[str, int]:
    entry, _, segment = written.rpartition(":")
    return (entry, int(segment)) if entry else (written, 0)


def _entry_json(entry: str, segment: int) -> dict[str, Any]:
    if entry in TEXTS:
        return {"Sequence": {"id": entry.removeprefix("$"), "type_id": segment}}
    return {"SpecialToken": {"id": entry, "type_id": segment}}


def _entry_from_json(entry: Description) -> tuple[str, int]:
    if (text := entry.part("Sequence")) is not None:
        return "$" + text.text("id"), text.integer("type_id")
    token = entry.needed_part("SpecialToken")
    return token.text("id"), token.integer("type_id")


NO_FRAME = Frame.written("$A", "$A $B:1")
BERT = Frame.written("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
ROBERTA = Frame.written("<s> $A </s>", "<s> $A </s> </s> $B </s>")
XLNET = Frame.written("$A <sep> <cls>:2", "$A <sep> $B:1 <sep>:1 <cls>:2", Padding("left", 3))
