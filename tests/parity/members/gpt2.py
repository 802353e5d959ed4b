"""GPT-2, padded on either side. transformers moves labels one place itself; ours stand where they are predicted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from transformers import (
    GPT2Config,
    GPT2ForQuestionAnswering,
    GPT2ForSequenceClassification,
    GPT2ForTokenClassification,
    GPT2LMHeadModel,
    GPT2Model,
)

from mini_bert.core.array import Array
from tests.parity.members.case import IGNORED, LENGTHS, Case, T, classes, tags, unlabelled

COMMON = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0, "num_labels": 3}
SMALL = {"vocab_size": 101, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 16, **COMMON}
LARGER = {"vocab_size": 1000, "n_embd": 96, "n_layer": 4, "n_head": 6, "n_positions": 32, **COMMON}
SIZES = (GPT2Config(**SMALL), GPT2Config(**LARGER, n_inner=160, activation_function="gelu"))
ONE, TWO = SIZES[:1], (GPT2Config(**SMALL | {"num_labels": 2}),)
UNTIED = (GPT2Config(**SMALL, tie_word_embeddings=False),)

Batch = Callable[[Any, np.random.Generator], dict[str, Array]]


def padded_left(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    """The text counts its places from its first word."""
    mask = np.arange(T) >= T - LENGTHS[:, None]
    return {
        "input_ids": np.where(mask, rng.integers(1, config.vocab_size, mask.shape), 0),
        "attention_mask": mask.astype(int),
        "position_ids": np.maximum(np.cumsum(mask, 1) - 1, 0),
    }


def next_words(batch: dict[str, Array]) -> dict[str, Array]:
    """Every word but the first of each text, which has nothing before it."""
    mask = batch["attention_mask"].astype(bool)
    return {**batch, "labels": np.where(mask & np.roll(mask, 1, 1), batch["input_ids"], IGNORED)}


def moved(batch: Mapping[str, Array]) -> dict[str, Any]:
    labels = np.pad(batch["labels"][:, 1:], ((0, 0), (0, 1)), constant_values=IGNORED)
    given = {name: array for name, array in batch.items() if name not in ("input_ids", "labels")}
    return {**given, "ids": batch["input_ids"], "labels": labels}


def loss_in_its_dtype(answer: Any, batch: Mapping[str, Array]) -> torch.Tensor:
    """transformers rounds logits to float32 before the loss; in double precision that is far from the truth."""
    if answer.logits.dtype == torch.float32:
        return answer.loss
    return cross_entropy(answer.logits[:, :-1].flatten(0, 1), torch.tensor(batch["labels"][:, 1:]).flatten())


def writing(member: str, sizes: tuple[GPT2Config, ...], padded: Batch = unlabelled) -> Case:
    return Case(
        member,
        GPT2LMHeadModel,
        sizes,
        lambda config, rng: next_words(padded(config, rng)),
        ours=moved,
        loss=loss_in_its_dtype,
    )


CASES = (
    writing("GPT-2", SIZES),
    writing("GPT-2, padded left", SIZES, padded_left),
    writing("GPT-2, untied", UNTIED),
    Case("GPT-2", GPT2Model, ONE, unlabelled, logits="last_hidden_state"),
    Case("GPT-2", GPT2ForSequenceClassification, SIZES, classes),
    Case("GPT-2", GPT2ForTokenClassification, ONE, tags),
    Case("GPT-2", GPT2ForQuestionAnswering, TWO, unlabelled, logits=("start_logits", "end_logits")),
)
