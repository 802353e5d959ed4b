"""The text that both sides read."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from mini_bert.core.array import Array
from mini_bert.models.config import ModelConfig
from mini_bert.models.passes import IGNORED
from mini_bert.training.objectives import MaskedBatch


def padded_batch(config: ModelConfig, seed: int = 1, B: int = 3, k: int = 4) -> MaskedBatch:
    """Sequences of unequal lengths, every segment, k places to predict in each, and unequal weights.

    Id 0 stands at padding and nowhere else: `transformers` teaches its row nothing when it is looked up.
    """
    rng = np.random.default_rng(seed)
    T = config.max_seq_length
    mask = np.arange(T) < np.linspace(T, T // 2, B).astype(int)[:, None]
    ids = np.where(mask, rng.integers(1, config.vocab_size, (B, T)), 0)
    inputs: dict[str, Array] = {"attention_mask": mask}
    if config.token_types:
        inputs["token_type_ids"] = rng.integers(0, config.token_types, (B, T))
    positions = np.argsort(np.where(mask, rng.random((B, T)), np.inf))[:, :k]
    labels, weights = rng.integers(1, config.vocab_size, (B, k)), rng.uniform(0.1, 1, (B, k))
    return MaskedBatch(ids, positions, labels, weights / weights.sum(), inputs)


def labels_everywhere(batch: MaskedBatch) -> Array:
    """The labels in their places, (B, T)."""
    labels = np.full(batch.ids.shape, IGNORED)
    np.put_along_axis(labels, batch.positions, batch.labels, 1)
    return labels


def as_tensors(batch: MaskedBatch) -> dict[str, Tensor]:
    """attention_mask, and token_type_ids if the model has segments."""
    return {name: torch.tensor(array) for name, array in (batch.inputs or {}).items()}
