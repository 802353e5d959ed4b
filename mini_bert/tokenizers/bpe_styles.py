"""The two customs among byte-level BPE vocabularies: RoBERTa's special tokens and frame, and GPT-2's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from mini_bert.errors import unknown
from mini_bert.tokenizers.added import AddedToken, with_further
from mini_bert.tokenizers.frame import NO_FRAME, ROBERTA, Frame
from mini_bert.tokenizers.trimming import Trimming


@dataclass(frozen=True)
class BPEStyle:
    """The special tokens, in the order in which they open a learned vocabulary; the frame around texts; and
    whether offsets leave spaces out."""

    tokens: tuple[AddedToken, ...]
    frame: Frame
    trimming: Trimming

    def with_tokens(self, contents: Iterable[str]) -> BPEStyle:
        """The same with further special tokens."""
        return replace(self, tokens=with_further(self.tokens, contents))


ROBERTA_STYLE = BPEStyle(
    (*map(AddedToken, ("<s>", "<pad>", "</s>", "<unk>")), AddedToken("<mask>", lstrip=True)),
    ROBERTA,
    Trimming(),
)
GPT2_STYLE = BPEStyle((AddedToken("<|endoftext|>"),), NO_FRAME, Trimming(trims=False))
BPE_STYLES = {"roberta": ROBERTA_STYLE, "gpt2": GPT2_STYLE}


def style_named(name: str) -> BPEStyle:
    if name not in BPE_STYLES:
        raise ValueError(unknown("style", name, list(BPE_STYLES)))
    return BPE_STYLES[name]


def fitting_style(vocab: Collection[str]) -> BPEStyle:
    """RoBERTa's if the vocabulary has the tokens of its frame, else GPT-2's; with those tokens that are there."""
    known = set(vocab)
    style = ROBERTA_STYLE if known.issuperset(ROBERTA.tokens()) else GPT2_STYLE
    return replace(style, tokens=tuple(token for token in style.tokens if token.content in known))
