"""Every optimizer against its equations, weight by weight, as the papers write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.layer import Weight
from mini_bert.training import blocks
from mini_bert.training.averaging import Lookahead
from mini_bert.training.optimizers import LAMB, SGD, AdamW, Lion, Muon, Optimizer, SophiaG
from tests.tolerances import assert_close, assert_same_bits
from tests.unit.optimizers_by_hand import BY_HAND, LABELS, SETTINGS

WEIGHTS = {
    "matrix": Weight((5, 4), "matrix"),
    "gain": Weight((4,), "gain"),
    "table": Weight((7, 4), "table"),
    "bias": Weight((5,), "bias"),
}
ETA, LAMBDA = 0.05, 0.3
EVERY_OPTIMIZER = pytest.mark.parametrize("kind", SETTINGS)


def random_arena(seed: int, dtype: type = np.float64) -> Arena:
    arena = Arena(WEIGHTS, dtype)
    arena.flat[:] = np.random.default_rng(seed).standard_normal(arena.flat.size)
    return arena


def made(kind: type[Optimizer], params: Arena, **settings: Any) -> Any:
    return kind(params, **{"learning_rate": ETA, "weight_decay": LAMBDA, **SETTINGS[kind], **settings})


def train(optimizer: Optimizer, seeds: range, scale: float = 1.0) -> None:
    for seed in seeds:
        if isinstance(optimizer, SophiaG) and optimizer.hessian_due:
            optimizer.update_hessian(random_arena(100 + seed, optimizer.params.flat.dtype.type), LABELS)
        optimizer.step(random_arena(seed, optimizer.params.flat.dtype.type), scale)


@pytest.mark.parametrize("block", [1 << 16, 7], ids=["one block", "blocks of 7"])
@EVERY_OPTIMIZER
def test_ten_steps_by_hand(kind: type[Optimizer], block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", block)
    rates, scale = {"table": 0.5, "gain": 0.25}, 0.6
    params, gradients = random_arena(0), [random_arena(seed) for seed in range(1, 11)]
    curvatures = [random_arena(100 + seed) for seed in range(1, 11)]
    expected = {
        name: BY_HAND[AdamW if kind is Muon and name != "matrix" else kind](
            weight.copy(),
            [scale * g[name] for g in gradients],
            [g[name] for g in curvatures],
            ETA * rates.get(name, 1),
            LAMBDA if WEIGHTS[name].decays else 0,
        )
        for name, weight in params.items()
    }
    train(made(kind, params, rates=rates), range(1, 11), scale)
    for name, weight in params.items():
        assert_close(weight, expected[name], rtol=1e-12)


def test_nesterov_looks_ahead() -> None:
    params, velocity = random_arena(0), 0.0
    w = params["matrix"].copy()
    optimizer = SGD(params, learning_rate=ETA, momentum=0.7, nesterov=True, weight_decay=LAMBDA)
    for seed in range(1, 6):
        d = random_arena(seed)["matrix"] + LAMBDA * w
        velocity = 0.7 * velocity + d
        w = w - ETA * (d + 0.7 * velocity)
        optimizer.step(random_arena(seed))
    assert_close(params["matrix"], w, rtol=1e-12)


@EVERY_OPTIMIZER
def test_only_matrices_and_tables_decay(kind: type[Optimizer]) -> None:
    params = random_arena(0)
    before = params.copy()
    made(kind, params).step(params.zeros_like())
    # LAMB's step is η long whatever u is: here u = λ w.
    shrunk = 1 - ETA * (1 if kind is LAMB else LAMBDA)
    for name, weight in params.items():
        assert_close(weight, before[name] * (shrunk if WEIGHTS[name].decays else 1), rtol=1e-14)


@EVERY_OPTIMIZER
def test_gradients_are_left_alone(kind: type[Optimizer]) -> None:
    params, grads = random_arena(0), random_arena(1)
    grads.flat.flags.writeable = False
    made(kind, params).step(grads, scale=0.5)
    assert (params.flat != random_arena(0).flat).all()


@EVERY_OPTIMIZER
def test_float32_stays_and_follows_float64(kind: type[Optimizer]) -> None:
    single, double = (made(kind, random_arena(0, dtype)) for dtype in (np.float32, np.float64))
    train(single, range(1, 6), scale=0.5)
    train(double, range(1, 6), scale=0.5)
    for arena in (single.params, *single.moments().values()):
        assert arena.flat.dtype == np.float32
    assert_close(single.params.flat, double.params.flat)


def in_lookahead(kind: type[Optimizer], params: Arena) -> Lookahead:
    return Lookahead(made(kind, params), k=2)


MAKERS = pytest.mark.parametrize("make", [made, in_lookahead], ids=["plain", "in lookahead"])


def train_in_a_team(optimizer: Any, workers: int) -> None:
    with ThreadPoolExecutor(workers) as team:
        for seed in range(1, 6):
            grads = random_arena(seed, np.float32)
            if isinstance(optimizer, SophiaG):
                list(team.map(lambda w: optimizer.update_hessian(grads, LABELS, w, workers), range(workers)))  # noqa: B023
            optimizer.begin()
            list(team.map(lambda w: optimizer.update(grads, w, workers, 0.3), range(workers)))  # noqa: B023


@pytest.mark.parametrize("workers", [2, 3, 20])
@MAKERS
@EVERY_OPTIMIZER
def test_any_number_of_workers_gives_the_same_bits(
    kind: type[Optimizer], make: Callable[..., Any], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 4)
    alone, together = (make(kind, random_arena(0, np.float32)) for _ in range(2))
    train_in_a_team(alone, 1)
    train_in_a_team(together, workers)
    assert_same_bits(together.params.flat, alone.params.flat)
    for name, arena in together.moments().items():
        assert_same_bits(arena.flat, alone.moments()[name].flat)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_shares_are_contiguous_even_and_complete(workers: int) -> None:
    params = Arena({"matrix": Weight((300, 1001), "matrix"), "bias": Weight((100_003,), "bias")})
    optimizer = AdamW(params, rates={"bias": 0.5})
    shares = [[block.at for block in optimizer.share(worker, workers)] for worker in range(workers)]
    walked = [at for share in shares for at in share]
    assert walked[0].start == 0
    assert walked[-1].stop == params.flat.size
    assert all(before.stop == after.start for before, after in pairwise(walked))
    sizes = [sum(at.stop - at.start for at in share) for share in shares]
    assert max(abs(size - params.flat.size / workers) for size in sizes) <= blocks.BLOCK


def test_blocks_never_mix_rates_or_decay() -> None:
    rates = {"matrix": 0.5, "bias": 2.0}
    for block in AdamW(random_arena(0), rates=rates).blocks:
        names = [name for name, at in blocks.places(random_arena(0)).items() if overlap(at, block.at)]
        assert {rates.get(name, 1.0) for name in names} == {block.rate}
        assert {WEIGHTS[name].decays for name in names} == {block.decays}


def overlap(one: slice, other: slice) -> bool:
    return bool(one.start < other.stop and other.start < one.stop)


@MAKERS
@EVERY_OPTIMIZER
def test_a_restored_optimizer_goes_on_bit_for_bit(kind: type[Optimizer], make: Callable[..., Any]) -> None:
    first = make(kind, random_arena(0, np.float32))
    train(first, range(1, 6))
    saved = {name: arena.flat.copy() for name, arena in first.moments().items()}
    state = json.loads(json.dumps(first.state()))
    second = make(kind, first.params.copy())
    for name, arena in second.moments().items():
        arena.flat[:] = saved[name]
    second.load_state(state)
    for optimizer in (first, second):
        train(optimizer, range(6, 11))
    assert second.steps == 10
    assert_same_bits(second.params.flat, first.params.flat)


@MAKERS
@EVERY_OPTIMIZER
def test_the_rate_is_read_at_each_step(kind: type[Optimizer], make: Callable[..., Any]) -> None:
    optimizer = make(kind, random_arena(0))
    optimizer.learning_rate = 0.0
    optimizer.step(random_arena(1))
    assert_same_bits(optimizer.params.flat, random_arena(0).flat)


def test_sophia_wants_a_curvature_at_the_first_of_every_k_steps() -> None:
    optimizer, due = SophiaG(random_arena(0), hessian_every=3), []
    for seed in range(7):
        due.append(optimizer.hessian_due)
        optimizer.step(random_arena(seed))
    assert due == [True, False, False, True, False, False, True]


def test_lion_leaves_a_weight_without_gradient_where_it_is() -> None:
    params, grads = random_arena(0), random_arena(1)
    grads["table"][3] = 0
    Lion(params, weight_decay=0).step(grads)
    assert_same_bits(params["table"][3], random_arena(0)["table"][3])
    assert (params["table"][2] != random_arena(0)["table"][2]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda params: AdamW(params, rates={"matrx": 0.5}), "did you mean 'matrix'"),
        (lambda params: AdamW(params, betas=(0.9, 1.0)), "betas"),
        (lambda params: Lion(params, learning_rate=-1), "learning_rate=-1"),
        (lambda params: SGD(params, momentum=1), "momentum=1"),
        (lambda params: SophiaG(params, hessian_every=0), "hessian_every=0"),
        (lambda params: Lookahead(AdamW(params), k=0), "k=0"),
    ],
)
def test_impossible_settings_are_refused(make: Callable[[Arena], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(random_arena(0))
