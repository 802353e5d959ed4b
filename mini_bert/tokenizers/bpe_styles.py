"""The two customs among byte-level BPE vocabularies: RoBERTa's special tokens and frame, and GPT-2's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from mini_bert.errors import unknown
from mini_bert.tokenizers.added import AddedToken
from mini_bert.tokenizers.frame import NO_FRAME, ROBERTA, Frame
from mini_bert.tokenizers.trimming import Trimming


@dataclass(frozen=True)
class Style:
    """The special tokens, in the order in which they open a learned vocabulary; the frame around texts; and
    whether offsets leave spaces out."""

    tokens: tuple[AddedToken, ...]
    frame: Frame
    trimming: Trimming

    def with_tokens(self, contents: Iterable[str]) -> Style:
        """The same with further special tokens."""
        known = {token.content for token in self.tokens}
        further = (AddedToken(content) for content in dict.fromkeys(contents) if content not in known)
        return replace(self, tokens=(*self.tokens, *further))


ROBERTA_STYLE = Style(
    (*map(AddedToken, ("<s>", "<pad>", "</s>", "<unk>")), AddedToken("<mask>", lstrip=True)),
    ROBERTA,
    Trimming(),
)
GPT2_STYLE = Style((AddedToken("<|endoftext|>"),), NO_FRAME, Trimming(trims=False))
STYLES = {"roberta": ROBERTA_STYLE, "gpt2": GPT2_STYLE}


def style_named(name: str) -> Style:
    if name not in STYLES:
        raise ValueError(unknown("style", name, list(STYLES)))
    return STYLES[name]


def fitting_style(vocab: Collection[str]) -> Style:
    """RoBERTa's if the vocabulary has the tokens of its frame, else GPT-2's; with those tokens that are there."""
    known = set(vocab)
    style = ROBERTA_STYLE if known.issuperset(ROBERTA.tokens()) else GPT2_STYLE
    return replace(style, tokens=tuple(token for token in style.tokens if token.content in known))
