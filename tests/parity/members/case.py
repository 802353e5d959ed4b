"""What is compared for each member of the family: a class of transformers at two sizes, and how each side is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
import torch

from mini_bert.core.array import Array

IGNORED = -100
B, T, LENGTHS = 3, 11, np.array([11, 8, 6])


@dataclass(frozen=True)
class Case:
    """`configs` are its sizes. `batch(config, rng)` makes the inputs, by the names transformers gives them, as arrays.

    `ours` turns those into arguments of `model.trace`; `logits` and `loss` find theirs in their answer. Several names
    of logits are one last axis. Without labels in the batch, the loss is a sum of the logits with random weights.
    """

    member: str
    architecture: type[torch.nn.Module]
    configs: tuple[Any, ...]
    batch: Callable[[Any, np.random.Generator], dict[str, Array]]
    ours: Callable[[Mapping[str, Array]], dict[str, Any]] = lambda batch: {
        {"input_ids": "ids"}.get(name, name): array for name, array in batch.items()
    }
    logits: str | tuple[str, ...] = "logits"
    loss: Callable[[Any, Mapping[str, Array]], torch.Tensor] = lambda answer, batch: answer.loss
    unused: tuple[str, ...] = field(default=())
    """endings of weights that the loss does not meet"""

    @property
    def name(self) -> str:
        return f"{self.member} {self.architecture.__name__}"

    def logits_in(self, answer: Any) -> torch.Tensor:
        if isinstance(self.logits, str):
            return getattr(answer, self.logits)
        return torch.stack([getattr(answer, name) for name in self.logits], -1)


def unlabelled(
    config: Any, rng: np.random.Generator, *, padding_id: int = 0, segments: int = 0
) -> dict[str, Array]:
    """Sequences of unequal lengths. The padding id stands at padding alone."""
    mask = np.arange(T) < LENGTHS[:, None]
    words = rng.integers(padding_id + 1, config.vocab_size, (B, T))
    batch = {"input_ids": np.where(mask, words, padding_id), "attention_mask": mask.astype(int)}
    return batch | ({"token_type_ids": rng.integers(0, segments, (B, T))} if segments else {})


def classes(config: Any, rng: np.random.Generator, **more: int) -> dict[str, Array]:
    """A class for each sequence."""
    return {**unlabelled(config, rng, **more), "labels": rng.integers(0, config.num_labels, B)}


def tags(config: Any, rng: np.random.Generator, **more: int) -> dict[str, Array]:
    """A tag for each real token."""
    batch = unlabelled(config, rng, **more)
    labels = rng.integers(0, config.num_labels, (B, T))
    return {**batch, "labels": np.where(batch["attention_mask"], labels, IGNORED)}


def masked_words(
    config: Any, rng: np.random.Generator, *, padding_id: int = 0, segments: int = 0
) -> dict[str, Array]:
    """Some words to predict in each sequence."""
    batch = unlabelled(config, rng, padding_id=padding_id, segments=segments)
    chosen = batch["attention_mask"].astype(bool) & (rng.random((B, T)) < 0.4)
    labels = np.where(chosen, rng.integers(1, config.vocab_size, (B, T)), IGNORED)
    labels[:, 1] = rng.integers(1, config.vocab_size, B)
    return {**batch, "labels": labels}


def enlivened(model: torch.nn.Module, seed: int = 0) -> torch.nn.Module:
    """Weights that keep activations at size one, with gains and biases that are not ones and zeros."""
    noise = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            is_gain = weight.ndim == 1 and name.endswith("weight")
            weight.normal_(0, 1 / sqrt(weight.shape[-1]) if weight.ndim > 1 else 0.3, generator=noise)
            weight += is_gain
    return model
