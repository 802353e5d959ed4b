"""Texts as a model reads them: the tokenizer it came with, and rows of ids filled up to one length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mini_bert.core.array import Array
from mini_bert.models.inputs import checked_ids, checked_inputs
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


def as_batch(model: MiniBERT, rows: Sequence[Encoding]) -> tuple[Array, dict[str, Array]]:
    """ids (B, T) of texts, the shorter ones filled up on the right, and what else the pass is told of them."""
    tokenizer = tokenizer_of(model)
    fill = tokenizer.token_to_id[tokenizer.roles.pad] if tokenizer.roles.pad else 0
    T = max(map(len, rows))
    ids = checked_ids([row.ids + [fill] * (T - len(row)) for row in rows], model.config)
    mask = np.arange(T) < np.array([[len(row)] for row in rows])
    types = [row.type_ids + [0] * (T - len(row)) for row in rows] if model.config.token_types else None
    return ids, checked_inputs(ids, None if mask.all() else mask, types, model.config)
