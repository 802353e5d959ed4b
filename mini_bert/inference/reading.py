"""Texts as a model reads them: the tokenizer it came with, and rows of ids filled up to one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.models.mini import MiniBERT
from mini_bert.tokenizers.encoding import Encoding
from mini_bert.tokenizers.tokenizer import Tokenizer


def tokenizer_of(model: MiniBERT) -> Tokenizer:
    if model.tokenizer is None:
        where = f"{model.folder}: " if model.folder else ""
        raise ValueError(
            f"{where}there is no tokenizer beside this model, and text cannot be read without it; copy its "
            "tokenizer.json into the folder, or set model.tokenizer"
        )
    return model.tokenizer


def is_mostly_unknown(row: Encoding, tokenizer: Tokenizer) -> bool:
    """Whether the vocabulary lacks half of a text or more, marks and hidden words left out."""
    unknown = tokenizer.unk_id
    marks = {i for i in tokenizer.special_ids if i != unknown}
    pieces = [i for i in row.ids if i not in marks]
    return unknown is not None and 2 * pieces.count(unknown) >= len(pieces) > 0


class Batch(NamedTuple):
    """What a pass is told of texts, each (B, T), in the order in which a Predictor takes them."""

    ids: Array
    attention_mask: Array | None
    token_type_ids: Array | None


def as_batch(model: MiniBERT, rows: Sequence[Encoding]) -> Batch:
    """Texts as rows of one length: the shorter ones are filled up on the right."""
    tokenizer = tokenizer_of(model)
    fill = tokenizer.pad_id or 0
    T = max(map(len, rows))
    ids = np.array([row.ids + [fill] * (T - len(row)) for row in rows])
    mask = np.arange(T) < np.array([[len(row)] for row in rows])
    types = np.array([row.type_ids + [0] * (T - len(row)) for row in rows])
    return Batch(ids, None if mask.all() else mask, types if model.config.token_types else None)
