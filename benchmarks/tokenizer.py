"""HuggingFace's WordPiece, in Rust, on one core: encoding and training."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.trainers import WordPieceTrainer

from mini_bert.tokenizers.special import SPECIAL_TOKENS


def encoders(tokenizer_json: Path, texts: list[str]) -> dict[str, Callable[[], object]]:
    """The same vocabulary, loaded from our file. `encode_batch_fast` leaves offsets out, as ours does."""
    theirs = Tokenizer.from_file(str(tokenizer_json))
    return {
        "HuggingFace encode_batch": lambda: theirs.encode_batch(texts),
        "HuggingFace encode_batch_fast": lambda: theirs.encode_batch_fast(texts),
    }


def trainers(texts: list[str], vocab_size: int) -> dict[str, Callable[[], object]]:
    return {"HuggingFace train": lambda: trained(texts, vocab_size)}


def trained(texts: list[str], vocab_size: int) -> Tokenizer:
    """Their trainer with the settings of ours: all pairs, at most 1000 different letters."""
    theirs = Tokenizer(WordPiece(unk_token="[UNK]"))
    theirs.normalizer, theirs.pre_tokenizer = BertNormalizer(), BertPreTokenizer()
    trainer = WordPieceTrainer(
        vocab_size=vocab_size,
        limit_alphabet=1000,
        special_tokens=list(SPECIAL_TOKENS),
        show_progress=False,
    )
    theirs.train_from_iterator(texts, trainer)
    return theirs
