"""AdamW against a loop over the weights, as the paper writes it."""

import math

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.training import optimizers
from mini_bert.training.optimizers import AdamW, clip_gradients
from tests.tolerances import assert_close

WEIGHTS = {
    "matrix": Weight((5, 4), "matrix"),
    "gain": Weight((4,), "gain"),
    "table": Weight((7, 4), "table"),
    "bias": Weight((5,), "bias"),
}
SETTINGS = {"learning_rate": 0.05, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.3}


def random_arena(seed, dtype=np.float64):
    arena = Arena(WEIGHTS, dtype)
    arena.flat[:] = np.random.default_rng(seed).standard_normal(arena.flat.size)
    return arena


def adamw_by_hand(w, gradients, decays, learning_rate, betas, eps, weight_decay):
    """One number at a time (Loshchilov & Hutter 2019, algorithm 2)."""
    m = v = 0.0
    for t, g in enumerate(gradients, 1):
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
        w -= learning_rate * (m_hat / (math.sqrt(v_hat) + eps) + (weight_decay * w if decays else 0))
    return w


@pytest.mark.parametrize("block", [1 << 15, 7], ids=["one block", "blocks of 7"])
def test_ten_steps_by_hand(block, monkeypatch):
    monkeypatch.setattr(optimizers, "BLOCK", block)
    params, gradients = random_arena(0), [random_arena(seed) for seed in range(1, 11)]
    expected = {
        name: [
            adamw_by_hand(
                weight.flat[i], [g[name].flat[i] for g in gradients], WEIGHTS[name].decays, **SETTINGS
            )
            for i in range(weight.size)
        ]
        for name, weight in params.items()
    }
    optimizer = AdamW(params, **SETTINGS)
    for grads in gradients:
        optimizer.step(grads)
    for name, weight in params.items():
        assert_close(weight.ravel(), np.array(expected[name]), rtol=1e-12)


def test_only_matrices_and_tables_decay():
    params = random_arena(0)
    before = params.copy()
    AdamW(params, learning_rate=0.1, weight_decay=0.5).step(params.zeros_like())
    for name, weight in params.items():
        assert_close(weight, before[name] * (0.95 if WEIGHTS[name].decays else 1), rtol=1e-14)


def test_gradients_are_left_alone():
    params, grads = random_arena(0), random_arena(1)
    grads.flat.flags.writeable = False
    AdamW(params).step(grads)
    assert (params.flat != random_arena(0).flat).all()


def test_float32_stays_and_follows_float64():
    single, double = random_arena(0, np.float32), random_arena(0)
    optimizers_of_both = AdamW(single, **SETTINGS), AdamW(double, **SETTINGS)
    for seed in range(1, 6):
        for optimizer, dtype in zip(optimizers_of_both, (np.float32, np.float64), strict=True):
            optimizer.step(random_arena(seed, dtype))
    assert single.flat.dtype == optimizers_of_both[0].m.flat.dtype == np.float32
    assert_close(single.flat, double.flat)


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_gradients_are_clipped_together(share):
    grads = random_arena(0)
    before = grads.flat.copy()
    norm = math.sqrt(sum(g * g for g in before))
    assert clip_gradients(grads, share * norm) == pytest.approx(norm)
    assert_close(grads.flat, before * min(1, share))
