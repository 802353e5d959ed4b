"""The special tokens: the first five entries of every vocabulary we learn, in this order, always."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from mini_bert.tokenizers.added import AddedToken

PAD, UNK, CLS, SEP, MASK = SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD_ID, UNK_ID, CLS_ID, SEP_ID, MASK_ID = range(5)

BERT_TOKENS = tuple(map(AddedToken, SPECIAL_TOKENS))
SPELLINGS = {
    "pad": ("[PAD]", "<pad>"),
    "unk": ("[UNK]", "<unk>"),
    "cls": ("[CLS]", "<cls>", "<s>"),
    "sep": ("[SEP]", "<sep>", "</s>"),
    "mask": ("[MASK]", "<mask>"),
    "end": ("<|endoftext|>", "<eod>", "</s>"),
}


@dataclass(frozen=True)
class Roles:
    """Which token fills up, stands for the unknown, opens, closes, hides a word, ends a document; or None."""

    pad: str | None = None
    unk: str | None = None
    cls: str | None = None
    sep: str | None = None
    mask: str | None = None
    end: str | None = None

    @classmethod
    def found_in(cls, vocab: Container[str]) -> Roles:
        """The roles by their customary spellings in BERT, RoBERTa, ALBERT, XLNet and GPT-2."""
        return cls(
            **{
                role: next((token for token in spellings if token in vocab), None)
                for role, spellings in SPELLINGS.items()
            }
        )
