"""From text to token ids and back: normalization, WordPiece, and the learning of its vocabulary."""

from mini_bert.tokenizers.special import SPECIAL_TOKENS
from mini_bert.tokenizers.wordpiece import WordPieceTokenizer

__all__ = ["SPECIAL_TOKENS", "WordPieceTokenizer"]
