"""From text to token ids and back: WordPiece, byte-level BPE, Unigram, and the learning of their vocabularies."""

from mini_bert.tokenizers.bpe import ByteLevelBPETokenizer
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.special import SPECIAL_TOKENS
from mini_bert.tokenizers.tokenizer import Tokenizer
from mini_bert.tokenizers.unigram import UnigramTokenizer
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

__all__ = [
    "SPECIAL_TOKENS",
    "ByteLevelBPETokenizer",
    "Tokenizer",
    "UnigramTokenizer",
    "WordPieceTokenizer",
    "load_tokenizer",
]
