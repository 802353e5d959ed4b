"""XLNet as one stream that sees everything, padded on the right and, as its own tokenizer does it, on the left.

Two streams and memory are in tests/parity/test_two_streams.py and test_recurrence.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import (
    XLNetConfig,
    XLNetForSequenceClassification,
    XLNetForTokenClassification,
    XLNetLMHeadModel,
    XLNetModel,
)

from mini_bert.core.array import Array
from tests.parity.members.case import IGNORED, Case, masked_words

SIZES = (
    XLNetConfig(vocab_size=101, d_model=32, n_layer=2, n_head=4, d_inner=64, num_labels=3),
    XLNetConfig(
        vocab_size=1000,
        d_model=96,
        n_layer=4,
        n_head=6,
        d_inner=192,
        ff_activation="relu",
        mem_len=None,
        num_labels=5,
    ),
)

in_single_precision = XLNetModel.relative_positional_encoding


def relative_positional_encoding(
    self: XLNetModel, qlen: int, klen: int, bsz: int | None = None, device: Any = None
) -> torch.Tensor:
    """transformers computes sines in single precision whatever the model's; a double model is given double ones."""
    if self.dtype == torch.float32:
        return in_single_precision(self, qlen, klen, bsz, device)
    frequencies = 10000.0 ** (-torch.arange(0, self.d_model, 2, dtype=self.dtype) / self.d_model)
    distances = torch.arange(klen, -qlen, -1, dtype=self.dtype)
    return self.positional_embedding(distances, frequencies, bsz)


XLNetModel.relative_positional_encoding = relative_positional_encoding


def padded_right(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    return masked_words(config, rng, segments=3)


def padded_left(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    return {name: array[:, ::-1].copy() for name, array in padded_right(config, rng).items()}


def every_word(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    """All real tokens are to be told, and no segments are."""
    batch = padded_left(config, rng)
    mask = batch["attention_mask"].astype(bool)
    labels = np.where(mask, rng.integers(0, config.vocab_size, mask.shape), IGNORED)
    return {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"], "labels": labels}


def classes(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    return {**padded_left(config, rng), "labels": rng.integers(0, config.num_labels, 3)}


def tags(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    batch = padded_right(config, rng)
    mask = batch["attention_mask"].astype(bool)
    return {**batch, "labels": np.where(mask, rng.integers(0, config.num_labels, mask.shape), IGNORED)}


BLANK = ("mask_emb",)
SEGMENTS = ("r_s_bias", "seg_embed")
CASES = (
    Case("XLNet", XLNetLMHeadModel, SIZES, padded_right, unused=BLANK),
    Case("XLNet, padded left", XLNetLMHeadModel, SIZES, padded_left, unused=BLANK),
    Case("XLNet, every word", XLNetLMHeadModel, SIZES, every_word, unused=BLANK + SEGMENTS),
    Case("XLNet", XLNetForSequenceClassification, SIZES, classes, unused=BLANK),
    Case("XLNet", XLNetForTokenClassification, SIZES, tags, unused=BLANK),
)
