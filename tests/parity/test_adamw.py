"""AdamW against torch.optim.AdamW: alone, and in ten steps of training with clipped gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.optimizers import AdamW, clip_gradients
from mini_bert.training.verification import lively_weights
from tests.parity.batches import as_tensors, padded_batch
from tests.parity.compare import entrywise, largest, largest_gap, normwise, worst
from tests.parity.conftest import Measured
from tests.parity.huggingface import SIZES, by_our_names, read, twins
from tests.parity.reference import Reference, gradients, tensors, weighted_loss
from tests.parity.weights import some_weights

STEPS, MAX_NORM = 10, 1.0
SETTINGS = {"betas": (0.9, 0.98), "eps": 1e-6}


def their_adamw(weights: Iterable[Tensor], learning_rate: float, weight_decay: float) -> torch.optim.AdamW:
    """Matrices and tables decay, gains and biases do not."""
    weights = list(weights)
    groups = [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": weight_decay},
        {"params": [w for w in weights if w.ndim == 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, learning_rate, **SETTINGS)


def test_optimizer_alone(measured: Measured) -> None:
    ours = some_weights()
    theirs = tensors(ours)
    optimizer, judge = AdamW(ours, weight_decay=0.1, **SETTINGS), their_adamw(theirs.values(), 1.0, 0.1)
    grads, rng = ours.zeros_like(), np.random.default_rng(1)
    for rate in np.linspace(1e-3, 1e-1, STEPS).tolist():
        grads.flat[:] = rng.normal(size=grads.flat.size)
        optimizer.learning_rate = rate
        optimizer.step(grads)
        for group in judge.param_groups:
            group["lr"] = rate
        for name, weight in theirs.items():
            weight.grad = torch.tensor(grads[name])
        judge.step()
    gap = largest(largest_gap(ours[name], weight.detach().numpy()) for name, weight in theirs.items())
    measured("AdamW alone, 10 steps, float64", weights=gap)
    assert gap <= 1e-12


@pytest.mark.parametrize("max_norm", [1.0, 1e4], ids=["clipped", "left alone"])
def test_clipping_alone(max_norm: float) -> None:
    grads = some_weights()
    theirs = tensors(grads)
    for weight in theirs.values():
        weight.grad = weight.detach().clone()
    expected_norm = torch.nn.utils.clip_grad_norm_(theirs.values(), max_norm)
    assert normwise(clip_gradients(grads, max_norm), expected_norm.item()) <= 1e-12
    # PyTorch divides by ‖g‖ + 1e-6 where we divide by ‖g‖, here 350.
    assert worst(normwise, grads, gradients(theirs)) <= 1e-6 / 300


def our_losses(model: MiniBERT, batches: list[MaskedBatch]) -> list[float]:
    optimizer, losses = AdamW(model.arena, learning_rate=1e-3, weight_decay=0.1, **SETTINGS), []
    for batch in batches:
        grads = model.arena.zeros_like()
        loss, t = masked_word_loss(model.network, model.arena, batch)
        masked_word_backward(model.network, batch, t, grads)
        assert clip_gradients(grads, MAX_NORM) > MAX_NORM, "nothing to clip"
        optimizer.step(grads)
        losses.append(float(loss))
    return losses


def their_losses(
    weights: Iterable[Tensor],
    loss_of: Callable[[MaskedBatch], Tensor],
    batches: list[MaskedBatch],
    clip: Callable[[list[Tensor], float], object],
) -> list[float]:
    weights = list(weights)
    optimizer, losses = their_adamw(weights, 1e-3, 0.1), []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        clip(weights, MAX_NORM)
        optimizer.step()
        losses.append(loss.item())
    return losses


def clip_to_the_very_norm(weights: list[Tensor], max_norm: float) -> None:
    """clip_grad_norm_ without the 1e-6 that PyTorch adds to the norm, which would show in the tenth digit."""
    grads = [weight.grad for weight in weights]
    norm = torch.nn.utils.get_total_norm(grads)
    for grad in grads:
        grad *= min(1.0, max_norm / norm)


def test_debug_model(measured: Measured) -> None:
    config = ModelConfig.preset("debug")
    model = MiniBERT(config, dtype=np.float64)
    model.arena.flat[:] = lively_weights(model.network, seed=1).flat
    batches = [padded_batch(config, seed) for seed in range(STEPS)]
    weights = tensors(model.arena)
    judge = Reference(config, weights)

    def loss_of(batch: MaskedBatch) -> Tensor:
        logits = judge.word_logits(judge.hidden_states(torch.tensor(batch.ids), **as_tensors(batch)))
        asked = logits[torch.arange(len(logits))[:, None], torch.tensor(batch.positions)]
        return weighted_loss(asked, batch.labels, batch.weights)

    expected = their_losses(weights.values(), loss_of, batches, clip_to_the_very_norm)
    loss = entrywise(our_losses(model, batches), expected)
    gap = largest(largest_gap(model.arena[name], weight.detach().numpy()) for name, weight in weights.items())
    measured("AdamW on debug, 10 steps, float64", loss=loss, weights=gap)
    assert loss <= 1e-6
    assert gap <= 1e-9


@pytest.mark.parametrize("size", SIZES)
def test_bert_for_masked_lm(size: str, measured: Measured) -> None:
    ours, theirs = twins(size, "gelu", "float32")
    batches = [mean_batch(padded_batch(ours.config, seed)) for seed in range(STEPS)]
    expected = their_losses(
        by_our_names(theirs).values(),
        lambda batch: read(theirs, batch).loss,
        batches,
        torch.nn.utils.clip_grad_norm_,
    )
    loss = entrywise(our_losses(ours, batches), expected)
    measured(f"AdamW on BertForMaskedLM {size}, 10 steps, float32", loss=loss)
    assert loss <= 1e-6


def mean_batch(batch: MaskedBatch) -> MaskedBatch:
    """Equal weights, as in their loss."""
    return replace(batch, weights=np.full(batch.labels.shape, 1 / batch.labels.size, np.float32))
