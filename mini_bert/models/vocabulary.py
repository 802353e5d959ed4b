"""The tokenizer in a model's folder, and whether it is the model's."""

from __future__ import annotations

from pathlib import Path

from mini_bert.tokenizers.files import has_tokenizer, load_tokenizer
from mini_bert.tokenizers.tokenizer import Tokenizer

SPARE_ROWS, SPARE_SHARE = 128, 0.1
"""So many rows of a table, or this share of them, may be without a piece, or as many pieces without a row."""


def tokenizer_beside(folder: Path, rows: int) -> Tokenizer | None:
    """The one beside a model with so many rows of token embeddings, if there is one."""
    if not has_tokenizer(folder):
        return None
    found = load_tokenizer(folder)
    check_vocabulary(found.vocab_size, rows, folder)
    return found


def check_vocabulary(pieces: int, rows: int, folder: Path) -> None:
    """Refuse a tokenizer that is not the model's: many rows have no piece, or many pieces no row.

    A few are common: tables are filled up to a round number, and signs are added that no text has. Such a sign in a
    text is refused where it is read.
    """
    if abs(rows - pieces) > max(SPARE_ROWS, SPARE_SHARE * rows):
        raise ValueError(
            f"{folder}: the tokenizer has {pieces:,} pieces, but the model has rows for {rows:,}; copy the tokenizer "
            "that the model was trained with into the folder"
        )
