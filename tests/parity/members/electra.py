"""ELECTRA: generators tell words, discriminators which tokens were replaced; tables narrower than the model or not."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits
from transformers import (
    ElectraConfig,
    ElectraForMaskedLM,
    ElectraForPreTraining,
    ElectraForQuestionAnswering,
    ElectraForSequenceClassification,
    ElectraForTokenClassification,
    ElectraModel,
)

from mini_bert.core.array import Array
from tests.parity.members.bert import ANSWER, LARGER, SMALL, TWO_LABELS
from tests.parity.members.case import IGNORED, Case, classes, masked_words, tags, unlabelled

SIZES = (
    ElectraConfig(**SMALL, embedding_size=16),
    ElectraConfig(**LARGER, embedding_size=LARGER["hidden_size"]),
)
TWO = (ElectraConfig(**TWO_LABELS, embedding_size=16),)
ONE, PAIRS = SIZES[:1], {"segments": 2}


def replaced_tokens(config: Any, rng: np.random.Generator) -> dict[str, Array]:
    """Which of the real tokens were replaced, as 0 and 1; transformers leaves out padding itself."""
    batch = unlabelled(config, rng, **PAIRS)
    labels = rng.integers(0, 2, batch["input_ids"].shape)
    return {**batch, "labels": labels.astype(np.float64)}


def loss_in_its_dtype(answer: Any, batch: Mapping[str, Array]) -> torch.Tensor:
    """transformers rounds labels to float32, and with them the loss, in double precision too."""
    if answer.logits.dtype == torch.float32:
        return answer.loss
    real = torch.tensor(batch["attention_mask"]).bool()
    return binary_cross_entropy_with_logits(answer.logits[real], torch.tensor(batch["labels"])[real])


def real_alone(batch: Mapping[str, Array]) -> dict[str, Array]:
    labels = np.where(batch["attention_mask"], batch["labels"].astype(int), IGNORED)
    given = {name: array for name, array in batch.items() if name != "input_ids"}
    return {**given, "ids": batch["input_ids"], "labels": labels}


CASES = (
    Case("ELECTRA", ElectraForMaskedLM, SIZES, partial(masked_words, **PAIRS)),
    Case("ELECTRA", ElectraForPreTraining, SIZES, replaced_tokens, ours=real_alone, loss=loss_in_its_dtype),
    Case("ELECTRA", ElectraModel, ONE, partial(unlabelled, **PAIRS), logits="last_hidden_state"),
    Case("ELECTRA", ElectraForSequenceClassification, ONE, partial(classes, **PAIRS)),
    Case("ELECTRA", ElectraForTokenClassification, ONE, partial(tags, **PAIRS)),
    Case("ELECTRA", ElectraForQuestionAnswering, TWO, partial(unlabelled, **PAIRS), logits=ANSWER),
)
