"""How a SentencePiece vocabulary takes text: its normalization, space marks, special tokens and frame, as one value.

>>> ALBERT.normal("''Où''")
'"ou"'
>>> XLNET.frame.single
(('$A', 0), ('<sep>', 0), ('<cls>', 2))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mini_bert.reports import Report, silent
from mini_bert.tokenizers.added import AddedToken, AddedTokens, with_further
from mini_bert.tokenizers.aligned import AlignedText
from mini_bert.tokenizers.frame import BERT, Frame
from mini_bert.tokenizers.frame import XLNET as XLNET_FRAME
from mini_bert.tokenizers.learning import counted
from mini_bert.tokenizers.normal_steps import (
    Lowercase,
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
class SentencePieceStyle:
    """All of a Unigram tokenizer but its pieces; `unk` is the token for unknown letters."""

    steps: tuple[Step, ...]
    marks: SpaceMarks
    unk: str
    added: tuple[AddedToken, ...]
    frame: Frame

    def with_tokens(self, contents: Iterable[str]) -> SentencePieceStyle:
        """The same with further special tokens."""
        return replace(self, added=with_further(self.added, contents))

    def normal(self, text: str) -> str:
        return plain(self.steps, text)

    def aligned(self, text: str) -> AlignedText:
        return aligned(self.steps, text)


QUOTES = (Replace("``", '"'), Replace("''", '"'))
WITHOUT_ACCENTS = (*QUOTES, UnicodeForm("NFKD"), StripAccents())
ONE_LINE = Replace(r"\s{2,}|[\n\r\t]", " ", is_pattern=True)

ALBERT = SentencePieceStyle(
    (*WITHOUT_ACCENTS, Lowercase()),
    SpaceMarks(),
    "<unk>",
    tuple(map(AddedToken, ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"))),
    BERT,
)
XLNET = SentencePieceStyle(
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
DEBERTA_V2 = SentencePieceStyle(
    (ONE_LINE, UnicodeForm("NFC"), Strip(left=False)),
    SpaceMarks(at_white_space=False),
    "[UNK]",
    tuple(map(AddedToken, ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"))),
    BERT,
)
SENTENCEPIECE_STYLES = {"albert": ALBERT, "xlnet": XLNET, "deberta-v2": DEBERTA_V2}


def word_counts(texts: Iterable[str], style: SentencePieceStyle, report: Report = silent) -> Counter[str]:
    """How often each marked word occurs, special tokens left out."""
    added = AddedTokens(style.added)

    def stretches(text: str) -> Iterator[str]:
        for stretch in added.split(text):
            if stretch.token is None:
                yield from style.marks.stretches(style.normal(stretch.text), stretch.start) or ()

    return counted(texts, stretches, style.marks.words_in, report)
