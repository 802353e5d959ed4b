"""XLNet's permutation objective: two streams in a drawn order, against `perm_mask` and `target_mapping`."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import XLNetForQuestionAnsweringSimple, XLNetLMHeadModel

from mini_bert.core.array import Array
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from tests.parity.compare import largest, largest_gap
from tests.parity.conftest import Members
from tests.parity.members.case import Case
from tests.parity.members.xlnet import SIZES, padded_left, padded_right
from tests.parity.test_members import GRADIENTS, VALUES, gradient_gap, made

CASE = Case("XLNet, two streams", XLNetLMHeadModel, SIZES, padded_left)
K = 4


def ordered(batch: dict[str, Array], rng: np.random.Generator) -> tuple[Array, Array]:
    """Words to ask for (B, K), all real, and ranks (B, T): those have 1 … K, all others 0."""
    real = batch["attention_mask"].astype(bool)
    asked = np.stack([rng.permutation(np.flatnonzero(row))[:K] for row in real])
    order = np.zeros(real.shape, int)
    np.put_along_axis(order, asked, 1 + np.broadcast_to(np.arange(K), asked.shape), 1)
    return rng.permuted(asked, axis=1), order


def as_theirs(batch: dict[str, Array], asked: Array, order: Array, dtype: str) -> dict[str, torch.Tensor]:
    """1 in `perm_mask` hides j from i; among the tokens that are given, nothing is hidden."""
    i, j = order[:, :, None], order[:, None, :]
    mapping = asked[..., None] == np.arange(order.shape[1])
    given = {name: torch.tensor(batch[name]) for name in ("input_ids", "attention_mask", "token_type_ids")}
    floats = {"perm_mask": (j >= i) & (j > 0), "target_mapping": mapping}
    return given | {name: torch.tensor(a.astype(dtype)) for name, a in floats.items()}


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("size", [0, 1])
def test_words_in_any_order(size: int, dtype: str, tmp_path: Path, members: Members) -> None:
    theirs = made(CASE, size, dtype)
    theirs.save_pretrained(tmp_path)
    ours = from_pretrained(tmp_path)
    rng = np.random.default_rng(size)
    batch = CASE.batch(theirs.config, rng)
    asked, order = ordered(batch, rng)
    labels = rng.integers(0, theirs.config.vocab_size, asked.shape)
    expected = theirs(
        **as_theirs(batch, asked, order, dtype), labels=torch.tensor(labels), output_hidden_states=True
    )

    inputs = {"token_type_ids": batch["token_type_ids"], "order": order}
    inputs["attention_mask"] = batch["attention_mask"].astype(bool)
    weights = np.full(asked.shape, 1 / asked.size, dtype)
    exercise = MaskedBatch(batch["input_ids"], asked, labels, weights, inputs)
    loss, t = masked_word_loss(ours.network, ours.arena, exercise, watch=("*",))

    row = f"{CASE.name} {dtype}"
    members(row, forward=streams_gap(t.acts, expected, inputs["attention_mask"]))
    members(row, loss=largest_gap(float(loss), expected.loss.item()))
    assert members.rows[row]["forward"] <= VALUES[dtype]
    assert members.rows[row]["loss"] <= VALUES[dtype]

    grads = ours.arena.zeros_like()
    masked_word_backward(ours.network, exercise, t, grads)
    expected.loss.backward()
    members(row, gradient=gradient_gap(ours, grads, theirs, CASE))
    assert members.rows[row]["gradient"] <= GRADIENTS[dtype]


def streams_gap(acts: dict[str, Array], expected: object, real: Array) -> float:
    """The largest difference in either stream after any layer, or of a logit; the last layer has no content stream."""
    T = real.shape[1]
    contents, queries = expected.hidden_states[0::2], expected.hidden_states[1::2]
    depth = len(contents) - 1
    gaps = [largest_gap(acts["head.logits"], expected.logits.detach().numpy())]
    gaps.append(largest_gap(acts["hidden"], queries[-1].detach().numpy()))
    for i in range(depth - 1):
        rows = acts[f"encoder.layers.{i}.out"]
        gaps.append(largest_gap(rows[:, :T][real], contents[i + 1].detach().numpy()[real]))
        gaps.append(largest_gap(rows[:, T:], queries[i + 1].detach().numpy()))
    return largest(gaps)


def test_the_ends_of_an_answer(tmp_path: Path) -> None:
    """Where an answer begins and where it ends are two tags of each token."""
    sizes = tuple(copy.deepcopy(config) for config in SIZES)
    sizes[0].num_labels = 2
    case = Case("XLNet", XLNetForQuestionAnsweringSimple, sizes, padded_right)
    theirs = made(case, 0, "float64")
    theirs.save_pretrained(tmp_path)
    batch = case.batch(theirs.config, np.random.default_rng(0))
    del batch["labels"]
    answer = theirs(**{name: torch.tensor(array) for name, array in batch.items()})
    expected = torch.stack([answer.start_logits, answer.end_logits], -1).detach().numpy()
    found, real = from_pretrained(tmp_path).trace(**case.ours(batch)).logits, batch["attention_mask"] == 1
    assert largest_gap(found[real], expected[real]) <= VALUES["float64"]
