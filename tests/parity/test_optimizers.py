"""Optimizers against those of torch.optim, clipping by scale against clipped gradients, schedules against libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
import torch
import transformers
from torch import Tensor
from torch.optim.lr_scheduler import OneCycleLR

from mini_bert.training.clipping import clipping_scale, norm_of, squared_norms
from mini_bert.training.optimizers import SGD, AdamW, Muon, Optimizer
from mini_bert.training.schedules import Schedule
from tests.parity.compare import largest, largest_gap
from tests.parity.conftest import Measured
from tests.parity.reference import tensors
from tests.parity.weights import some_weights

STEPS, MAX_NORM, DECAY, WORKERS = 10, 100.0, 0.1, 2
JUDGES = {AdamW: torch.optim.AdamW, SGD: torch.optim.SGD}


def groups(weights: Iterable[Tensor]) -> list[dict[str, object]]:
    """Matrices and tables decay, gains and biases do not."""
    weights = list(weights)
    return [
        {"params": [w for w in weights if w.ndim > 1], "weight_decay": DECAY},
        {"params": [w for w in weights if w.ndim == 1], "weight_decay": 0.0},
    ]


def judges_of(
    kind: type[Optimizer], weights: Mapping[str, Tensor], settings: dict[str, object]
) -> list[torch.optim.Optimizer]:
    """Theirs of the same kind; their Muon takes matrices alone, and leaves the other weights to an AdamW."""
    if kind is not Muon:
        return [JUDGES[kind](groups(weights.values()), lr=1.0, **settings)]
    momentum = {"momentum": settings["momentum"]}
    of_adamw = {name: value for name, value in settings.items() if name not in momentum}
    return [
        torch.optim.Muon([weights["matrix"]], weight_decay=DECAY, adjust_lr_fn="match_rms_adamw", **momentum),
        torch.optim.AdamW(groups(weights[name] for name in weights if name != "matrix"), **of_adamw),
    ]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (AdamW, {"betas": (0.9, 0.98), "eps": 1e-6}),
        (Muon, {"betas": (0.9, 0.98), "eps": 1e-6, "momentum": 0.9}),
        (SGD, {"momentum": 0.0}),
        (SGD, {"momentum": 0.9}),
        (SGD, {"momentum": 0.9, "nesterov": True}),
    ],
    ids=["AdamW", "Muon", "SGD", "momentum", "Nesterov"],
)
def test_ten_clipped_steps_by_two_workers(
    kind: type[Optimizer],
    settings: dict[str, object],
    measured: Measured,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # their Muon makes a matrix orthogonal in bfloat16, which has two to three digits: here it keeps float64
    monkeypatch.setattr(torch.Tensor, "bfloat16", torch.Tensor.clone)
    ours = some_weights()
    theirs = tensors(ours)
    optimizer = kind(ours, learning_rate=1.0, weight_decay=DECAY, **settings)
    judges = judges_of(kind, theirs, settings)
    grads, rng = ours.zeros_like(), np.random.default_rng(1)
    for rate in np.linspace(1e-3, 1e-1, STEPS).tolist():
        grads.flat[:] = rng.normal(size=grads.flat.size)
        norm = norm_of(square for w in range(WORKERS) for square in squared_norms(grads, w, WORKERS))
        assert norm > MAX_NORM, "nothing to clip"
        optimizer.learning_rate = rate
        optimizer.begin()
        for worker in range(WORKERS):
            optimizer.update(grads, worker, WORKERS, clipping_scale(norm, MAX_NORM))
        for group in (group for judge in judges for group in judge.param_groups):
            group["lr"] = rate
        for name, weight in theirs.items():
            weight.grad = torch.tensor(grads[name])
        # not clip_grad_norm_, which divides by ‖g‖ + 1e-6: that shows in the ninth digit
        total = torch.nn.utils.get_total_norm([weight.grad for weight in theirs.values()])
        for weight in theirs.values():
            weight.grad *= MAX_NORM / total
        for judge in judges:
            judge.step()
    gap = largest(largest_gap(ours[name], weight.detach().numpy()) for name, weight in theirs.items())
    row = request.node.callspec.id
    measured(f"{row}, clipped, 2 workers, 10 steps, float64", weights=gap)
    assert gap <= 1e-12


N, WARMUP = 200, 40


def factors(make: object) -> list[float]:
    """The factor of their learning rate at steps 0 … N"""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler, seen = make(optimizer), []
    for _ in range(N):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return seen


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("linear", lambda o: transformers.get_linear_schedule_with_warmup(o, WARMUP, N)),
        ("cosine", lambda o: transformers.get_cosine_schedule_with_warmup(o, WARMUP, N)),
        ("inverse-sqrt", lambda o: transformers.get_inverse_sqrt_schedule(o, WARMUP)),
        ("constant", lambda o: transformers.get_constant_schedule_with_warmup(o, WARMUP)),
    ],
)
def test_schedules(kind: str, make: object) -> None:
    ours = [Schedule(kind, WARMUP / N)(n / N) for n in range(N)]
    assert ours == pytest.approx(factors(make), abs=1e-12)


def test_one_cycle() -> None:
    """Theirs counts N + 1 points and reaches its peak a step early."""
    theirs = factors(
        lambda o: OneCycleLR(
            o, 1.0, total_steps=N + 1, pct_start=(WARMUP + 1) / (N + 1), final_div_factor=1e12
        )
    )
    ours = [Schedule("one-cycle", WARMUP / N)(n / N) for n in range(N)]
    assert ours == pytest.approx(theirs, abs=1e-9)
