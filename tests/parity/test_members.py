"""Every member of the family against its class in transformers: loaded, run, differentiated, saved.

Random weights at two sizes and in both precisions, on padded text: hidden states, logits and loss, and the gradient of
every parameter.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.models.huggingface.families import family_for
from mini_bert.models.huggingface.reading import from_pretrained
from mini_bert.models.huggingface.writing import save_pretrained, tensors_of
from mini_bert.models.mini import MiniBERT
from mini_bert.models.passes import Pass
from tests.parity.compare import largest, largest_gap
from tests.parity.conftest import Members
from tests.parity.members import all_cases
from tests.parity.members.case import Case, enlivened

VALUES = {"float32": 1e-5, "float64": 1e-9}
GRADIENTS = {"float32": 1e-4, "float64": 1e-8}


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize(
    ("case", "size"),
    [
        pytest.param(case, size, id=f"{case.name}-{size}")
        for case in all_cases()
        for size in range(len(case.configs))
    ],
)
def test_member(case: Case, size: int, dtype: str, tmp_path: Path, members: Members) -> None:
    theirs = made(case, size, dtype)
    theirs.save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    assert ours.dtype == dtype
    row = f"{case.name} {dtype}"
    members(row, load=0.0 if ours.num_parameters == sum(p.numel() for p in theirs.parameters()) else np.inf)

    batch = case.batch(theirs.config, np.random.default_rng(size))
    expected = theirs(
        **{name: torch.tensor(array) for name, array in batch.items()}, output_hidden_states=True
    )
    cache = ours.trace(**case.ours(batch))
    real = batch.get("attention_mask", np.ones(batch["input_ids"].shape)).astype(bool)

    members(row, forward=forward_gap(cache, expected, case, real))
    if "labels" in batch:
        our_loss, our_grads, loss = cache.loss, cache.gradients.arrays, case.loss(expected, batch)
    else:
        our_loss, our_grads, loss = weighted(cache, case.logits_in(expected), real)
    members(row, loss=largest_gap(our_loss, loss.item()))
    assert members.rows[row]["forward"] <= VALUES[dtype]
    assert members.rows[row]["loss"] <= VALUES[dtype]

    loss.backward()
    members(row, gradient=gradient_gap(ours, our_grads, theirs, case))
    assert members.rows[row]["gradient"] <= GRADIENTS[dtype]

    members(row, save=saved_gap(ours, theirs, tmp_path / "ours"))
    assert members.rows[row]["save"] == 0
    assert members.rows[row]["load"] == 0


def made(case: Case, size: int, dtype: str) -> torch.nn.Module:
    config = copy.deepcopy(case.configs[size])
    config._attn_implementation = "eager"
    model = enlivened(case.architecture(config)).to(getattr(torch, dtype)).eval()
    return model


def saved_gap(ours: MiniBERT, theirs: torch.nn.Module, folder: Path) -> float:
    """The largest difference of any parameter after our model was written, and read by transformers."""
    save_pretrained(ours, folder)
    again, told = type(theirs).from_pretrained(folder, output_loading_info=True, dtype=theirs.dtype)
    assert not told["missing_keys"]
    assert not told["unexpected_keys"]
    saved = dict(again.named_parameters())
    return largest(float((p - saved[n]).detach().abs().max()) for n, p in theirs.named_parameters())


def forward_gap(cache: Pass, expected: object, case: Case, real: Array) -> float:
    """The largest difference of any hidden state or logit at a real token."""
    gaps = []
    hidden = [cache["embeddings.out"], *(cache[n] for n in layer_outputs(cache))]
    for mine, other in zip(hidden, expected.hidden_states, strict=True):
        gaps.append(largest_gap(mine[real], other.detach().numpy()[real]))
    logits = case.logits_in(expected).detach().numpy()
    per_token = logits.shape[: real.ndim] == real.shape
    gaps.append(
        largest_gap(cache.logits[real], logits[real]) if per_token else largest_gap(cache.logits, logits)
    )
    return largest(gaps)


def layer_outputs(cache: Pass) -> list[str]:
    """The names of what each layer gives to the next; after the last one, the final norm if there is any."""
    layers = sorted(
        (name for name in cache.arrays if name.startswith("encoder.layers.") and name.count(".") == 3),
        key=lambda name: int(name.split(".")[2]),
    )
    return [*[name for name in layers if name.endswith(".out")][:-1], "hidden"]


def weighted(cache: Pass, logits: torch.Tensor, real: Array) -> tuple[float, Arena, torch.Tensor]:
    """loss = Σ w · logits, with random weights at real tokens: ours, our gradients, and theirs."""
    weights = (
        np.random.default_rng(9).standard_normal(logits.shape).astype(cache.logits.dtype) / logits.numel()
    )
    weights[~real] = 0
    grads = Arena(cache.network.all_weights(), cache.logits.dtype)
    cache.backward(weights, grads)
    return float((weights * cache.logits).sum()), grads, (torch.tensor(weights) * logits).sum()


def gradient_gap(ours: MiniBERT, grads: Mapping[str, Array], theirs: torch.nn.Module, case: Case) -> float:
    """The largest ‖ours − theirs‖ / ‖theirs‖ of any parameter; of one that must be zero, relative to the largest."""
    family = family_for(ours.config)
    mine = tensors_of(grads, ours.config, family, str(ours.architecture))
    other = {name: p.grad for name, p in theirs.named_parameters()}
    assert mine.keys() >= {name for name, grad in other.items() if grad is not None}
    scale = largest(float(g.norm()) for g in other.values() if g is not None)
    gaps = []
    for name, grad in other.items():
        if grad is None:
            assert name.endswith(case.unused), f"{name} has no gradient in PyTorch"
            gaps.append(float(np.linalg.norm(mine.get(name, np.zeros(1)))) / scale)
            continue
        gap, size = float(np.linalg.norm(mine[name] - grad.numpy())), float(grad.norm())
        gaps.append(gap / size if size > 1e-6 * scale else gap / scale)
    return largest(gaps)
