"""Each function and its gradient against PyTorch's own, in float64."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from mini_bert.core import functions
from mini_bert.core.array import Array
from mini_bert.core.functions import (
    activations,
    distances,
    distillation,
    dropout,
    gather,
    linear,
    logistic,
    norm,
    rotary,
    softmax,
    windows,
)
from mini_bert.core.functions.erf import erf
from tests.parity import reference
from tests.parity.compare import entrywise, largest, normwise
from tests.parity.conftest import Measured

B, T, H, O, V, k = 3, 7, 12, 9, 20, 4
rng = np.random.default_rng(0)
X = 4 * rng.normal(size=(B, T, H))  # reaches the flat parts of every activation
GAMMA, BETA = 1 + rng.normal(size=H), rng.normal(size=H)
MATRIX, BIAS = rng.normal(size=(O, H)), rng.normal(size=O)
TABLE, IDS = rng.normal(size=(V, H)), rng.integers(0, 5, (B, T))  # 5 words in 21 places: gradients add up
POSITIONS = np.array([[0, 6, 3, 3], [2, 2, 2, 2], [5, 1, 4, 0]])  # one may be asked for more than once
LABELS, WEIGHTS = rng.integers(0, H, (B, T)), rng.uniform(0, 1, (B, T))
YES, TEACHER, TAU = rng.integers(0, 2, (B, T, H)), 3 * rng.normal(size=(B, T, H)), 2.5
WIDE, STARTS = rng.normal(size=(B, 2, T, 10)), rng.integers(0, 6, (B, T))
MASK = (rng.random((B, T, H)) < 0.9) / 0.9

Ours = Callable[..., tuple[Array, tuple[Array, ...]]]


class Pair(NamedTuple):
    """Our forward and backward, as (dy, *inputs) → y, gradients; PyTorch's forward; and what to give them."""

    ours: Ours
    theirs: Callable[..., Tensor]
    inputs: tuple[Array, ...]


PAIRS: dict[str, Pair] = {}


def judged_by(theirs: Callable[..., Tensor], *inputs: Array) -> Callable[[Ours], Ours]:
    def register(ours: Ours) -> Ours:
        PAIRS[ours.__name__.removeprefix("our_")] = Pair(ours, theirs, inputs)
        return ours

    return register


@judged_by(F.linear, X, MATRIX, BIAS)
def our_linear(dy: Array, x: Array, W: Array, b: Array) -> Any:
    return linear.linear(x, W, b), linear.linear_backward(dy, x, W)


@judged_by(F.linear, X, MATRIX)
def our_project(dy: Array, x: Array, W: Array) -> Any:
    return linear.project(x, W), linear.project_backward(dy, x, W)


@judged_by(lambda x, gamma, beta: F.layer_norm(x, (H,), gamma, beta, 1e-12), X, GAMMA, BETA)
def our_layer_norm(dy: Array, x: Array, gamma: Array, beta: Array) -> Any:
    y, x_hat, inv_sigma = norm.layer_norm(x, gamma, beta)
    return y, norm.layer_norm_backward(dy, x_hat, inv_sigma, gamma)


@judged_by(lambda x, gamma: F.rms_norm(x, (H,), gamma, 1e-12), X, GAMMA)
def our_rms_norm(dy: Array, x: Array, gamma: Array) -> Any:
    y, x_hat, inv_r = norm.rms_norm(x, gamma)
    return y, norm.rms_norm_backward(dy, x_hat, inv_r, gamma)


@judged_by(F.relu, X)
def our_relu(dy: Array, x: Array) -> Any:
    y = activations.relu(x)
    return y, (activations.relu_backward(dy, y),)


@judged_by(F.gelu, X)
def our_gelu(dy: Array, x: Array) -> Any:
    y, cdf = activations.gelu(x)
    return y, (activations.gelu_backward(dy, x, cdf),)


@judged_by(lambda x: F.gelu(x, approximate="tanh"), X)
def our_gelu_tanh(dy: Array, x: Array) -> Any:
    y, tanh_u = activations.gelu_tanh(x)
    return y, (activations.gelu_tanh_backward(dy, x, tanh_u),)


@judged_by(torch.sigmoid, X)
def our_sigmoid(dy: Array, x: Array) -> Any:
    y = activations.sigmoid(x)
    return y, (activations.sigmoid_backward(dy, y),)


@judged_by(
    lambda s: F.binary_cross_entropy_with_logits(
        s, torch.tensor(YES, dtype=s.dtype), torch.tensor(MASK), reduction="sum"
    ),
    X,
)
def our_binary_cross_entropy(dloss: Array, s: Array) -> Any:
    loss, p = logistic.binary_cross_entropy(s, YES, MASK)
    return loss, (dloss * logistic.binary_cross_entropy_backward(p, YES, MASK),)


def kl_divergence(logits: Tensor) -> Tensor:
    q, p = (logits / TAU).log_softmax(-1), (torch.tensor(TEACHER) / TAU).softmax(-1)
    return TAU**2 * (F.kl_div(q, p, reduction="none").sum(-1) * torch.tensor(WEIGHTS)).sum()


@judged_by(kl_divergence, X)
def our_soft_cross_entropy(dloss: Array, logits: Array) -> Any:
    loss, q, p = distillation.soft_cross_entropy(logits, TEACHER, WEIGHTS, TAU)
    return loss, (dloss * distillation.soft_cross_entropy_backward(q, p, WEIGHTS, TAU),)


@judged_by(
    lambda x: ((1 - F.cosine_similarity(x, torch.tensor(TEACHER), dim=-1)) * torch.tensor(WEIGHTS)).sum(), X
)
def our_cosine_distance(dloss: Array, x: Array) -> Any:
    loss, *kept = distillation.cosine_distance(x, TEACHER, WEIGHTS)
    return loss, (dloss * distillation.cosine_distance_backward(*kept, WEIGHTS),)


@judged_by(lambda z: (z[:, :, None] - z[:, None]).square().sum(-1), X)
def our_squared_distances(dd: Array, z: Array) -> Any:
    return distances.squared_distances(z), (distances.squared_distances_backward(dd, z),)


@judged_by(lambda x: ((x - torch.tensor(TEACHER)).abs() * torch.tensor(MASK)).sum(), X)
def our_absolute_error(dloss: Array, x: Array) -> Any:
    loss, sign = distances.absolute_error(x, TEACHER, MASK)
    return loss, (dloss * distances.absolute_error_backward(sign, MASK),)


@judged_by(
    lambda wide: wide.gather(
        -1, (torch.tensor(STARTS)[:, None, :, None] + torch.arange(4)).expand(-1, 2, -1, -1)
    ),
    WIDE,
)
def our_windows(dy: Array, wide: Array) -> Any:
    return windows.windows(wide, STARTS, 4), (windows.windows_backward(dy, STARTS, wide.shape[-1]),)


@judged_by(F.silu, X)
def our_silu(dy: Array, x: Array) -> Any:
    y, sigma = activations.silu(x)
    return y, (activations.silu_backward(dy, x, sigma),)


@judged_by(torch.tanh, X)
def our_tanh(dy: Array, x: Array) -> Any:
    y = activations.tanh(x)
    return y, (activations.tanh_backward(dy, y),)


@judged_by(lambda s: s.softmax(-1), X)
def our_softmax(dp: Array, s: Array) -> Any:
    p = softmax.softmax(s)
    return p, (softmax.softmax_backward(dp, p),)


@judged_by(lambda s: s.log_softmax(-1), X)
def our_log_softmax(dlog_p: Array, s: Array) -> Any:
    log_p = softmax.log_softmax(s)
    return log_p, (softmax.log_softmax_backward(dlog_p, log_p),)


@judged_by(lambda logits: reference.weighted_loss(logits, LABELS, WEIGHTS), X)
def our_cross_entropy(dloss: Array, logits: Array) -> Any:
    loss, p = softmax.cross_entropy(logits, LABELS, WEIGHTS)
    return loss, (dloss * softmax.cross_entropy_backward(p, LABELS, WEIGHTS),)


@judged_by(lambda x: reference.rotary(x, torch.arange(T) + 50), X)
def our_rotary(dy: Array, x: Array) -> Any:
    positions = np.arange(T) + 50
    return rotary.rotary(x, positions), (rotary.rotary_backward(dy, positions),)


@judged_by(lambda table: F.embedding(torch.tensor(IDS), table), TABLE)
def our_embedding(dy: Array, table: Array) -> Any:
    rows, drows = gather.embedding_backward(dy, IDS)
    dtable = np.zeros_like(table)
    dtable[rows] = drows
    return gather.embedding(IDS, table), (dtable,)


@judged_by(lambda x: x.gather(1, torch.tensor(POSITIONS)[..., None].expand(B, k, H)), X)
def our_take_positions(dy: Array, x: Array) -> Any:
    return gather.take_positions(x, POSITIONS), (gather.take_positions_backward(dy, POSITIONS, T),)


@judged_by(lambda x: x * torch.tensor(MASK), X)
def our_dropout(dy: Array, x: Array) -> Any:
    return dropout.dropout(x, MASK), (dropout.dropout_backward(dy, MASK),)


@pytest.mark.parametrize("name", PAIRS)
def test_value_and_gradients(name: str, measured: Measured) -> None:
    ours, theirs, inputs = PAIRS[name]
    leaves = [torch.tensor(x, requires_grad=True) for x in inputs]
    expected = theirs(*leaves)
    dy = np.random.default_rng(1).normal(size=expected.shape)
    expected.backward(torch.tensor(dy))

    y, grads = ours(dy, *inputs)
    pairs = [(grad, leaf.grad.numpy()) for grad, leaf in zip(grads, leaves, strict=True)]
    found = {
        "logits": entrywise(y, expected.detach().numpy()),
        "gradient": largest(normwise(*pair) for pair in pairs),
        "entries": largest(entrywise(*pair) for pair in pairs),
    }
    measured(name, **found)
    assert largest(found.values()) <= 1e-9, found


def test_every_function_pair_has_a_judge() -> None:
    modules = [
        import_module(f"{functions.__name__}.{found.name}") for found in iter_modules(functions.__path__)
    ]
    backwards = {name for module in modules for name in vars(module) if name.endswith("_backward")}
    assert backwards == {f"{name}_backward" for name in PAIRS}


# A unit in the last place is 2.2e-16 and 1.2e-7; erf.py promises 2.4e-7 in float32, and torch rounds too.
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-15), (np.float32, 4e-7)])
def test_erf(dtype: type[Any], tolerance: float, measured: Measured) -> None:
    x = np.concatenate([np.linspace(-7, 7, 100_000), np.geomspace(1e-30, 1, 10_000)]).astype(dtype)
    expected = torch.erf(torch.tensor(x)).numpy()
    error = float((abs(erf(x) - expected) / abs(expected)).max())
    measured(f"erf, {np.dtype(dtype)}", logits=error)
    assert error <= tolerance
