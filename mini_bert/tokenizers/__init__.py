"""From text to token ids and back: WordPiece, byte-level BPE, Unigram, and the learning of their vocabularies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mini_bert.on_demand import names_on_demand

if TYPE_CHECKING:
    from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
    from mini_bert.tokenizers.files import load_tokenizer
    from mini_bert.tokenizers.special import SPECIAL_TOKENS
    from mini_bert.tokenizers.tokenizer import Tokenizer
    from mini_bert.tokenizers.unigram import UnigramTokenizer
    from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

HOMES = {
    "SPECIAL_TOKENS": "mini_bert.tokenizers.special",
    "ByteLevelBPETokenizer": "mini_bert.tokenizers.bpe",
    "Tokenizer": "mini_bert.tokenizers.tokenizer",
    "UnigramTokenizer": "mini_bert.tokenizers.unigram",
    "WordPieceTokenizer": "mini_bert.tokenizers.wordpiece",
    "load_tokenizer": "mini_bert.tokenizers.files",
}
"""Most models need one of the tokenizers."""

__all__ = [
    "SPECIAL_TOKENS",
    "ByteLevelBPETokenizer",
    "Tokenizer",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "load_tokenizer",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_demand(__name__, HOMES)
