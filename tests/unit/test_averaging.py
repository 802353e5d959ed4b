"""EMA and Lookahead against their equations."""

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.training import blocks
from mini_bert.training.averaging import EMA, Lookahead
from mini_bert.training.optimizers import SGD
from tests.tolerances import assert_close, assert_same_bits

WEIGHTS = {"matrix": Weight((5, 4), "matrix"), "bias": Weight((5,), "bias")}


def random_arena(seed, dtype=np.float64):
    arena = Arena(WEIGHTS, dtype)
    arena.flat[:] = np.random.default_rng(seed).standard_normal(arena.flat.size)
    return arena


@pytest.mark.parametrize("block", [1 << 16, 7], ids=["one block", "blocks of 7"])
def test_ema_by_hand(block, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", block)
    params = random_arena(0)
    ema, average = EMA(params, decay=0.3), params.flat.copy()
    for t, kept in enumerate([1 / 10, 2 / 11, 3 / 12, 0.3, 0.3]):
        params.flat[:] = random_arena(t + 1).flat
        ema.update()
        average = kept * average + (1 - kept) * params.flat
        assert_close(ema.average.flat, average, rtol=1e-12)


def test_swapped_lends_the_average_and_gives_the_weights_back():
    params = random_arena(0, np.float32)
    ema = EMA(params)
    params.flat[:] = random_arena(1).flat
    ema.update()
    weights, average = params.flat.copy(), ema.average.flat.copy()
    with ema.swapped() as lent:
        assert lent is params
        assert_same_bits(params.flat, average)
        assert_same_bits(ema.average.flat, weights)
    assert_same_bits(params.flat, weights)
    with pytest.raises(RuntimeError, match="evaluation failed"), ema.swapped():
        raise RuntimeError("evaluation failed")
    assert_same_bits(params.flat, weights)
    assert_same_bits(ema.average.flat, average)


def test_a_restored_average_goes_on_bit_for_bit():
    params = random_arena(0, np.float32)
    first = EMA(params)
    first.update()
    params.flat[:] = random_arena(1).flat
    first.update()
    second = EMA(params)
    second.moments()["ema"].flat[:] = first.average.flat
    second.load_state(first.state())
    params.flat[:] = random_arena(2).flat
    first.update()
    second.update()
    assert_same_bits(second.average.flat, first.average.flat)


def test_lookahead_by_hand():
    params, k, alpha, eta = random_arena(0), 3, 0.4, 0.1
    optimizer = Lookahead(SGD(params, learning_rate=eta, momentum=0.5), k, alpha)
    slow = fast = params.flat.copy()
    velocity = np.zeros_like(fast)
    for t in range(1, 9):
        g = random_arena(t)
        velocity = 0.5 * velocity + g.flat
        fast = fast - eta * velocity
        if t % k == 0:
            slow = fast = slow + alpha * (fast - slow)
        optimizer.step(g)
        assert_close(params.flat, fast, rtol=1e-12)
    assert_close(optimizer.moments()["slow"].flat, slow, rtol=1e-12)
    assert optimizer.moments().keys() == {"velocity", "slow"}


def test_impossible_decays_are_refused():
    with pytest.raises(ValueError, match="decay=1"):
        EMA(random_arena(0), decay=1)
