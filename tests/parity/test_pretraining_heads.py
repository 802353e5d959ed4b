"""Heads that the table of members does not see: a second task beside the words, poolers, untied output words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    AlbertForPreTraining,
    AlbertModel,
    BertConfig,
    BertForMaskedLM,
    BertForPreTraining,
    BertModel,
    DistilBertConfig,
    DistilBertForMaskedLM,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaModel,
)

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.training.objectives import MaskedBatch, Question, pretraining_backward, pretraining_loss
from tests.parity.compare import largest_gap
from tests.parity.conftest import Members
from tests.parity.members import albert, bert, roberta
from tests.parity.members.case import IGNORED, B, Case, T, masked_words, unlabelled
from tests.parity.test_members import GRADIENTS, VALUES, gradient_gap, made, saved_gap

BOTH = (
    Case("BERT", BertForPreTraining, (*bert.TWO, bert.SIZES[1]), masked_words),
    Case("ALBERT", AlbertForPreTraining, (*albert.TWO, albert.SIZES[1]), masked_words),
)
SENTENCES = {"BERT": "next_sentence_label", "ALBERT": "sentence_order_label"}
TRUNKS = (
    Case("BERT", BertModel, bert.ONE, unlabelled),
    Case("RoBERTa", RobertaModel, roberta.ONE, lambda config, rng: unlabelled(config, rng, padding_id=1)),
    Case("ALBERT", AlbertModel, albert.ONE, unlabelled),
)
UNTIED = {"tie_word_embeddings": False}
UNTIED_MODELS = (
    (BertForMaskedLM, BertConfig(**bert.SMALL | UNTIED)),
    (RobertaForMaskedLM, RobertaConfig(**bert.SMALL | UNTIED)),
    (DistilBertForMaskedLM, DistilBertConfig(vocab_size=101, dim=32, n_layers=1, n_heads=4, **UNTIED)),
)


def both(model: Any, rng: np.random.Generator, dtype: str) -> tuple[dict[str, Array], Array, MaskedBatch]:
    """A batch with words and sentences to tell: as transformers gets it, and as we do."""
    batch, follows = masked_words(model.config, rng, segments=2), rng.integers(0, 2, B)
    told = batch["labels"] != IGNORED
    asked = MaskedBatch(
        batch["input_ids"],
        np.tile(np.arange(T), (B, 1)),
        np.where(told, batch["labels"], 0),
        (told / told.sum()).astype(dtype),
        {"attention_mask": batch["attention_mask"] > 0, "token_type_ids": batch["token_type_ids"]},
        Question(np.zeros((B, 1), int), follows, np.full(B, 1 / B, dtype)),
    )
    return batch, follows, asked


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("case", BOTH, ids=lambda case: case.name)
def test_words_and_sentences(case: Case, size: int, dtype: str, tmp_path: Path, members: Members) -> None:
    theirs = made(case, size, dtype)
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    row = f"{case.name} {dtype}"
    batch, follows, asked = both(theirs, np.random.default_rng(size), dtype)
    given = {name: torch.tensor(array) for name, array in batch.items()}
    expected = theirs(**given, **{SENTENCES[case.member]: torch.tensor(follows)})
    losses, trace = pretraining_loss(ours.network, ours.arena, asked)
    grads = ours.arena.zeros_like()
    pretraining_backward(ours.network, asked, trace, grads)
    expected.loss.backward()
    logits = ours.forward(
        batch["input_ids"], batch["attention_mask"], token_type_ids=batch["token_type_ids"]
    )[0]
    real = batch["attention_mask"] > 0
    members(
        row,
        forward=largest_gap(logits[real], expected.prediction_logits.detach().numpy()[real]),
        loss=largest_gap(float(sum(losses)), expected.loss.item()),
        gradient=gradient_gap(ours, grads, theirs, case),
        load=0.0 if ours.num_parameters == sum(p.numel() for p in theirs.parameters()) else np.inf,
        save=saved_gap(ours, theirs, tmp_path / "ours"),
    )
    found = members.rows[row]
    assert max(found["forward"], found["loss"]) <= VALUES[dtype]
    assert found["gradient"] <= GRADIENTS[dtype]
    assert found["load"] == found["save"] == 0


@pytest.mark.parametrize("case", TRUNKS, ids=lambda case: case.name)
def test_a_trunk_brings_its_pooler_or_none(case: Case, tmp_path: Path) -> None:
    theirs = made(case, 0, "float64")
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    batch = case.batch(theirs.config, np.random.default_rng(0))
    expected = theirs(**{name: torch.tensor(array) for name, array in batch.items()})
    hidden, _ = ours.forward(batch["input_ids"], batch["attention_mask"])
    pooled = ours.network.second_head.forward(hidden, Trace(ours.arena) / "second_head")
    assert largest_gap(pooled, expected.pooler_output.detach().numpy()) <= VALUES["float64"]

    theirs.pooler = None
    theirs.save_pretrained(tmp_path / "without")
    without = from_pretrained(tmp_path / "without")
    assert without.network.second_head is None
    assert largest_gap(without.forward(batch["input_ids"], batch["attention_mask"])[0], hidden) == 0
    assert saved_gap(ours, made(case, 0, "float64"), tmp_path / "ours") == 0
    without.save_pretrained(tmp_path / "again")
    assert from_pretrained(tmp_path / "again").config == without.config


@pytest.mark.parametrize(("architecture", "config"), UNTIED_MODELS, ids=lambda value: type(value).__name__)
def test_untied_output_words(architecture: Any, config: Any, tmp_path: Path) -> None:
    theirs = made(Case("untied", architecture, (config,), masked_words), 0, "float64")
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    assert not ours.config.tied
    ids = np.array([[5, 6, 7, 8]])
    expected = theirs(torch.tensor(ids)).logits.detach().numpy()
    assert largest_gap(ours.forward(ids)[0], expected) <= VALUES["float64"]
    ours.save_pretrained(tmp_path / "ours")
    again = architecture.from_pretrained(tmp_path / "ours", dtype=torch.float64)
    assert largest_gap(again(torch.tensor(ids)).logits.detach().numpy(), expected) <= VALUES["float64"]
