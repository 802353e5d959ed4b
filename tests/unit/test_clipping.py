"""Clipping all gradients together and unit by unit, and what happens to those that are not finite."""

import math

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.training import blocks
from mini_bert.training.clipping import (
    AdaptiveClipping,
    clip_gradients,
    clipping_scale,
    global_norm,
    norm_of,
    squared_norms,
)
from mini_bert.training.optimizers import AdamW
from tests.tolerances import assert_close, assert_same_bits

WEIGHTS = {
    "matrix": Weight((5, 4), "matrix"),
    "bias": Weight((5,), "bias"),
    "gain": Weight((4,), "gain"),
    "head.decoder.weight": Weight((6, 4), "matrix"),
}


def random_arena(seed, dtype=np.float64, size=1.0):
    arena = Arena(WEIGHTS, dtype)
    arena.flat[:] = size * np.random.default_rng(seed).standard_normal(arena.flat.size)
    return arena


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_gradients_are_clipped_together(share):
    grads = random_arena(0)
    before = grads.flat.copy()
    norm = math.sqrt(sum(g * g for g in before))
    assert clip_gradients(grads, share * norm) == pytest.approx(norm)
    assert_close(grads.flat, before * min(1, share))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("workers", [2, 3, 50])
def test_the_norm_has_the_same_bits_for_any_number_of_workers(workers, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 3)
    grads = random_arena(0, dtype)
    parts = [square for worker in range(workers) for square in squared_norms(grads, worker, workers)]
    assert norm_of(reversed(parts)) == global_norm(grads)
    assert global_norm(grads) == pytest.approx(np.linalg.norm(grads.flat.astype(np.float64)), rel=1e-6)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e200])
def test_a_norm_that_is_not_finite_is_reported_and_nothing_changed(bad):
    grads = random_arena(0)
    grads["bias"][2] = bad
    before = grads.flat.copy()
    norm = clip_gradients(grads, 1.0)
    assert math.isnan(norm) if math.isnan(bad) else norm == math.inf
    assert_same_bits(grads.flat, before)
    assert clipping_scale(norm, 1.0) == 1.0


def test_the_last_sum_does_not_depend_on_the_order():
    squares = [1.0] + [1e-16] * 10_000
    assert norm_of(squares) == norm_of(reversed(squares)) > 1


def test_sums_that_overflow_only_together_are_infinite():
    assert norm_of([1e308, 1e308]) == math.inf


def test_a_scale_for_the_optimizer_is_clipping():
    by_scale, by_hand, grads = random_arena(0), random_arena(0), random_arena(1)
    AdamW(by_scale).step(grads, clipping_scale(global_norm(grads), 0.5))
    clip_gradients(grads, 0.5)
    assert global_norm(grads) == pytest.approx(0.5)
    AdamW(by_hand).step(grads)
    assert_close(by_scale.flat, by_hand.flat, rtol=1e-12)


def adaptively_clipped(w, g, clipping, eps):
    """One unit after another (Brock et al. 2021, equation 3)."""
    rows_w, rows_g = (x if x.ndim > 1 else x[None] for x in (w, g))
    rows = []
    for row_w, row_g in zip(rows_w, rows_g, strict=True):
        longest = clipping * max(math.hypot(*row_w), eps)
        norm = math.hypot(*row_g)
        rows.append(row_g * longest / norm if norm > longest else row_g)
    return np.reshape(rows, g.shape)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_adaptive_clipping_unit_by_unit(workers):
    params, grads = random_arena(0), random_arena(1, size=0.5)
    params["matrix"][1] = 0
    grads["matrix"][2] *= 1e-3
    grads["gain"][:] = 0
    grads["bias"][:] *= 10
    before = grads.copy()
    agc = AdaptiveClipping(params, clipping=0.2, eps=0.1)
    count = sum(agc.clip(grads, worker, workers) for worker in range(workers))
    for name in ("matrix", "bias", "gain"):
        assert_close(grads[name], adaptively_clipped(params[name], before[name], 0.2, 0.1), rtol=1e-12)
    assert_same_bits(grads["head.decoder.weight"], before["head.decoder.weight"])
    changed = (grads["matrix"] != before["matrix"]).any(1)
    assert not changed[2]
    assert count == changed.sum() + 1 > 2


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_adaptive_clipping_leaves_broken_units_to_the_norm(bad):
    params, grads = random_arena(0), random_arena(1)
    grads["matrix"][3, 1] = bad
    before = grads.copy()
    AdaptiveClipping(params).clip(grads)
    assert_same_bits(grads["matrix"][3], before["matrix"][3])
    assert (grads["matrix"][0] != before["matrix"][0]).all()
    assert not math.isfinite(global_norm(grads))


def test_adaptive_clipping_keeps_float32():
    params, grads = random_arena(0, np.float32), random_arena(1, np.float32)
    assert AdaptiveClipping(params).clip(grads) > 0
    assert grads.flat.dtype == np.float32


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="clipping=0"):
        AdaptiveClipping(random_arena(0), clipping=0)
