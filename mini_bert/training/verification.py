"""Prove a model's gradients: hand-derived against numeric, on a batch that uses all of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.gradcheck import TOLERANCE, Method, ParameterCheck, check_gradients
from mini_bert.core.heads import TOKEN_ORDERS
from mini_bert.core.network import Network
from mini_bert.errors import unknown
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.models.inputs import check_weights
from mini_bert.models.names import as_short, short
from mini_bert.training.goals import practice_goal
from mini_bert.training.objectives import MaskedBatch, MaskedWords, Objective, Question

CHOOSING = re.compile(r"\.attn\.(?!value|output|gate|norm)|^encoder\.relative\.")
"""Weights that decide what attention looks at, by their names."""


@dataclass(frozen=True)
class GradientReport:
    """A row per weight, and the verdict. Of weights that are `unmoved` every gradient is zero, which proves nothing;
    those `out_of_reach` can have no other."""

    method: Method
    checks: tuple[ParameterCheck, ...]
    unmoved: tuple[str, ...]
    out_of_reach: tuple[str, ...] = ()

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
        notes = dict.fromkeys(self.out_of_reach, "   out of reach")
        rows = [
            f"{short(c.name):<24} {c.checked:>7,} entries   worst {c.worst:.1e} at {list(as_short(c.name, c.index))}"
            + notes.get(c.name, "")
            for c in self.checks
        ]
        rows += (f"{short(name):<24} every gradient is zero, which proves nothing" for name in self.unmoved)
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
    objective = practice_goal(config).objective if tells_words(config) else MaskedWords()
    found = gradient_checks(
        network,
        params,
        awkward_batch(config, seed),
        objective,
        method=method,
        samples=samples,
        seed=seed,
        on_entry=on_entry,
    )
    checks = tuple(found)
    idle = [check.name for check in checks if check.all_zero]
    excused = excuse(config, objective)
    unmoved, out_of_reach = (tuple(name for name in idle if excused(name) is so) for so in (False, True))
    return GradientReport(method, checks, unmoved, out_of_reach)


def excuse(config: ModelConfig, objective: Objective) -> Callable[[str], bool]:
    """Whether a weight may have no gradient at all, by its name.

    A bias of all keys moves all scores alike, which softmax does not see; a token that sees itself alone has nothing
    to choose from; a second stream asks for words alone; a second head may have no question in the objective.
    """
    sees_itself = config.max_seq_length == 1 or (
        config.causal and config.head == "classes" and config.pooled == "first"
    )

    def may_be_zero(name: str) -> bool:
        if "second_head." in name:
            return not isinstance(objective, MaskedWords)
        if name == "encoder.blank":
            return not tells_words(config)
        if name.endswith("key.bias") and config.positions != "rotary":
            return True
        return sees_itself and CHOOSING.search(name) is not None

    return may_be_zero


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
    """Short sequences with repeated words, every segment and unequal weights, the last of them padded if it has three
    tokens or more.

    Each head is asked what it can tell: about the text, about some tokens, in an order.
    """
    rng = np.random.default_rng(seed)
    T = min(6, config.max_seq_length)
    k = T if config.head == "classes" else min(k, T)  # a class is told by the token that speaks for all
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
    asked = (B,) if config.head == "classes" else (B, k)
    labels = rng.integers(0, answers(config), asked)
    weights = rng.uniform(0.1, 1, asked)
    if config.streams == 2 and tells_words(config):
        inputs["order"] = np.zeros((B, T), np.int64)
        np.put_along_axis(
            inputs["order"], positions, rng.permuted(np.tile(np.arange(1, k + 1), (B, 1)), axis=1), 1
        )
    question = second_question(config, rng, B, T)
    if config.generator:
        question = Question(
            np.tile(np.arange(T), (B, 1)), np.zeros((B, T), np.int64), mask * rng.random((B, T)), 2.0
        )
    draws = rng.random((B, k))
    return MaskedBatch(ids, positions, labels, weights / weights.sum(), inputs, question, draws)


def tells_words(config: ModelConfig) -> bool:
    return config.head == "words" or config.generator is not None


def answers(config: ModelConfig) -> int:
    """How many answers a model chooses from; the numbers of a hidden state are taken for scores if it has no head."""
    H, C = config.hidden_size, config.classes
    of_heads = {"classes": C, "tags": C, "replaced": 2, "none": H}
    found = config.vocab_size if tells_words(config) else of_heads[config.head]
    if found < 2:
        raise ValueError(
            f"head={config.head}: of one answer the probability is 1 whatever the weights are, so that there is no "
            f"gradient to check; choose {'hidden_size' if config.head == 'none' else 'classes'}=2 or more"
        )
    return found


def second_question(config: ModelConfig, rng: np.random.Generator, B: int, T: int) -> Question | None:
    """What the second head is asked, if there is one; the numbers of a pooled vector are taken for scores."""
    kinds = {"pairs": 2, "order": TOKEN_ORDERS, "pooler": config.hidden_size}
    if config.second_head not in kinds:
        return None
    m = min(2, T) if config.second_head == "order" else 1
    asked = (B, m) if config.second_head == "order" else (B,)
    labels = rng.integers(0, kinds[config.second_head], asked)
    return Question(np.tile(np.arange(m), (B, 1)), labels, rng.uniform(0.1, 1, asked), 0.7)
