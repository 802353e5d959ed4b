"""Prove a model's gradients: hand-derived against numeric, on a batch that uses all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.gradcheck import TOLERANCE, Method, ParameterCheck, check_gradients
from mini_bert.core.network import Network
from mini_bert.errors import unknown
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.inputs import check_weights
from mini_bert.models.names import as_short, short
from mini_bert.training.goals import practice_goal
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Objective, Question


@dataclass(frozen=True)
class GradientReport:
    """A row per weight, and the verdict."""

    method: Method
    checks: tuple[ParameterCheck, ...]
    unmoved: tuple[str, ...]

    @property
    def worst(self) -> float:
        return max(check.worst for check in self.checks)

    @property
    def checked(self) -> int:
        return sum(check.checked for check in self.checks)

    @property
    def passed(self) -> bool:
        return not self.unmoved and all(check.worst <= TOLERANCE[self.method] for check in self.checks)

    def __str__(self) -> str:
        rows = [
            f"{short(c.name):<24} {c.checked:>7,} entries   worst {c.worst:.1e} at {list(as_short(c.name, c.index))}"
            for c in self.checks
        ]
        verdict = "passed" if self.passed else "FAILED"
        return "\n".join(
            [*rows, f"{verdict}: {self.checked:,} entries by {self.method}, worst {self.worst:.1e}"]
        )


def verify_gradients(
    config: ModelConfig,
    params: Arena | None = None,
    *,
    method: Method = "complex",
    samples: int | None = None,
    seed: int = 0,
    on_entry: Callable[[str], None] | None = None,
) -> GradientReport:
    """Every weight of the configured model, at the values given or at lively ones; `samples` bounds each one's entries.

    `on_entry` is called with the weight's name after each entry, for a progress bar.
    """
    if method not in TOLERANCE:
        raise ValueError(unknown("method", method, list(TOLERANCE)))
    if samples is not None and samples < 1:
        raise ValueError(f"samples={samples}: check at least one entry of each weight, or None for all")
    if params is not None:
        check_weights(params)
    network = build_network(config)
    params = lively_weights(network, seed) if params is None else params.copy(np.float64)
    found = gradient_checks(
        network,
        params,
        awkward_batch(config, seed),
        practice_goal(config).objective,
        method=method,
        samples=samples,
        seed=seed,
        on_entry=on_entry,
    )
    checks = tuple(found)
    may_be_zero = () if config.positions == "rotary" else ("key.bias",)
    unmoved = tuple(c.name for c in checks if c.all_zero and not c.name.endswith(may_be_zero))
    return GradientReport(method, checks, unmoved)


def gradient_checks(
    network: Network,
    params: Arena,
    batch: MaskedBatch,
    objective: Objective | None = None,
    *,
    method: Method = "complex",
    samples: int | None = None,
    seed: int = 0,
    on_entry: Callable[[str], None] | None = None,
) -> Iterator[ParameterCheck]:
    """Any network on any batch, one check for each weight."""
    objective, noise = objective or MaskedWords(), Noise(seed, step=1)
    grads = params.zeros_like()
    _, t = objective.loss(network, params, batch, noise)
    objective.backward(network, batch, t, grads)

    def loss(moved: Mapping[str, Array]) -> Array:
        return objective.total(objective.loss(network, moved, batch, noise)[0], batch)

    yield from check_gradients(loss, params, grads, method, samples, seed, on_entry)


def lively_weights(network: Network, seed: int) -> Arena:
    """Weights at which no gradient is tiny: activations of size one, gains that are not one, biases not zero."""
    params = Arena(network.all_weights(), np.float64)
    rng = np.random.default_rng(seed)
    for name, weight in params.weights.items():
        scale = 1 / sqrt(weight.shape[-1]) if weight.kind == "matrix" else 0.3
        params[name][...] = scale * rng.standard_normal(weight.shape) + (weight.kind == "gain")
    return params


def awkward_batch(config: ModelConfig, seed: int, B: int = 2, k: int = 3) -> MaskedBatch:
    """Two short sequences, one of them padded, with repeated words, every segment, and unequal weights.

    It asks whatever the model can tell: about the text, about each token, in an order.
    """
    rng = np.random.default_rng(seed)
    T = min(6, config.max_seq_length)
    k = min(k, T)
    ids = rng.integers(0, config.vocab_size, (B, T))
    ids[:, -1] = ids[:, 0]
    mask = np.ones((B, T), bool)
    mask[-1, T - T // 3 :] = False
    inputs: dict[str, Array] = {"attention_mask": mask}
    if config.token_types:
        inputs["token_type_ids"] = np.arange(B * T).reshape(B, T) % config.token_types
    positions = np.sort(rng.permuted(np.tile(np.arange(T), (B, 1)), axis=1)[:, :k], axis=1)
    if config.memory:  # read in segments, all rows are asked at the same places
        positions[:] = positions[0]
    labels = rng.integers(0, config.vocab_size, (B, k))
    weights = rng.uniform(0.1, 1, (B, k))
    if config.streams == 2:
        inputs["order"] = np.zeros((B, T), np.int64)
        np.put_along_axis(
            inputs["order"], positions, rng.permuted(np.tile(np.arange(1, k + 1), (B, 1)), axis=1), 1
        )
    question = None
    if config.second_head == "pairs":
        question = Question(np.zeros((B, 1), np.int64), rng.integers(0, 2, B), rng.uniform(0.1, 1, B), 0.7)
    if config.generator:
        question = Question(
            np.tile(np.arange(T), (B, 1)), np.zeros((B, T), np.int64), mask * rng.random((B, T)), 2.0
        )
    draws = rng.random((B, k))
    return MaskedBatch(ids, positions, labels, weights / weights.sum(), inputs, question, draws)
