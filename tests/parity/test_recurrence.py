"""Segment after segment with a memory, against XLNet's `mems`; transformers has no Transformer-XL any more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import XLNetLMHeadModel

from mini_bert.core.array import Array
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.reader import Reader
from tests.parity.compare import largest, largest_gap
from tests.parity.conftest import Members
from tests.parity.members.case import Case
from tests.parity.members.xlnet import BLANK, SIZES, padded_right
from tests.parity.test_members import GRADIENTS, VALUES, forward_gap, gradient_gap, made

CASE = Case("XLNet, mems", XLNetLMHeadModel, SIZES, padded_right, unused=BLANK)
MEMORY = 7


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("size", [0, 1])
def test_a_segment_after_another(size: int, dtype: str, tmp_path: Path, members: Members) -> None:
    """Two segments are read, the second remembers some of the first; then the padded one is compared."""
    theirs = made(CASE, size, dtype)
    theirs.config.mem_len = theirs.transformer.mem_len = MEMORY
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    assert ours.config.memory == MEMORY
    rng = np.random.default_rng(size)
    batch = CASE.batch(theirs.config, rng)
    memory: dict[str, Array] = {}
    mems = None
    for T in (5, 4):
        segment = rng.integers(0, theirs.config.vocab_size, (len(batch["input_ids"]), T))
        with torch.no_grad():
            mems = theirs(torch.tensor(segment), mems=mems).mems
        memory = ours.trace(segment, memory=memory).remembered(MEMORY)
    row = f"{CASE.name} {dtype}"
    gaps = [
        largest_gap(memory[f"encoder.layers.{i}.attn."], theirs_i.numpy().swapaxes(0, 1))
        for i, theirs_i in enumerate(mems)
    ]
    members(row, forward=largest(gaps))

    expected = theirs(
        **{name: torch.tensor(array) for name, array in batch.items()}, mems=mems, output_hidden_states=True
    )
    cache = ours.trace(**CASE.ours(batch), memory=memory)
    members(row, forward=forward_gap(cache, expected, CASE, batch["attention_mask"].astype(bool)))
    members(row, loss=largest_gap(cache.loss, expected.loss.item()))
    assert members.rows[row]["forward"] <= VALUES[dtype]
    assert members.rows[row]["loss"] <= VALUES[dtype]

    expected.loss.backward()
    members(row, gradient=gradient_gap(ours, cache.gradients.arrays, theirs, CASE))
    assert members.rows[row]["gradient"] <= GRADIENTS[dtype]


def test_a_reader_reads_as_mems_do(tmp_path: Path) -> None:
    """A text of five segments, the last one shorter; each sees what the one before it has read."""
    theirs = made(CASE, 0, "float64")
    theirs.config.mem_len = theirs.transformer.mem_len = MEMORY
    theirs.config.max_seq_length = 4
    theirs.save_pretrained(tmp_path)
    text = np.random.default_rng(0).integers(0, theirs.config.vocab_size, (2, 18))
    found = Reader(from_pretrained(tmp_path)).read(text)
    mems, expected = None, []
    with torch.no_grad():
        for start in range(0, 18, 4):
            answer = theirs(torch.tensor(text[:, start : start + 4]), mems=mems)
            mems = answer.mems
            expected.append(answer.logits.numpy())
    assert largest_gap(found, np.concatenate(expected, 1)) <= VALUES["float64"]
