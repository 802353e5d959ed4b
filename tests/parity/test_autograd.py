"""Loss, logits and the gradient of every weight against PyTorch's autograd, in float64, for every part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from mini_bert.core.arena import Arena
from mini_bert.core.array import Array
from mini_bert.core.functions.softmax import cross_entropy, cross_entropy_backward
from mini_bert.core.heads import ClassifierHead, Pooler, TaggerHead, next_sentence_head
from mini_bert.core.layer import Layer
from mini_bert.core.layers import Linear
from mini_bert.core.trace import Trace
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.mini import MiniBERT
from mini_bert.training.objectives import MaskedBatch, masked_word_backward, masked_word_loss
from mini_bert.training.verification import lively_weights
from tests.parity.batches import as_tensors, labels_everywhere, padded_batch
from tests.parity.compare import entrywise, largest, normwise, worst
from tests.parity.conftest import Measured
from tests.parity.reference import Reference, gradients, tensors, weighted_loss

TOLERANCE = 1e-9

Answer = tuple[float, Array, Mapping[str, Array]]
"""Loss, logits, and the gradient of every weight."""


def ours_everywhere(model: MiniBERT, batch: MaskedBatch) -> Answer:
    """Logits for all of (B, T), and the mean loss over the labels."""
    cache = model.trace(batch.ids, labels_everywhere(batch), **batch.inputs)
    return cache.loss, cache.logits, {name: cache.gradients[name] for name in model.arena}


def judged_everywhere(logits: Tensor, batch: MaskedBatch) -> tuple[Tensor, Tensor]:
    return F.cross_entropy(logits.flatten(0, 1), torch.tensor(labels_everywhere(batch)).flatten()), logits


def ours_where_asked(model: MiniBERT, batch: MaskedBatch) -> Answer:
    """The last layer and the head see some positions (B, k) only, and the loss is a weighted sum."""
    grads = model.arena.zeros_like()
    loss, t = masked_word_loss(model.network, model.arena, batch)
    masked_word_backward(model.network, batch, t, grads)
    logits = model.network.forward(
        batch.ids, Trace(model.arena, inputs=batch.inputs, queries=batch.positions)
    )
    return float(loss), logits, grads


def judged_where_asked(logits: Tensor, batch: MaskedBatch) -> tuple[Tensor, Tensor]:
    asked = logits[torch.arange(len(logits))[:, None], torch.tensor(batch.positions)]
    return weighted_loss(asked, batch.labels, batch.weights), asked


PATHS = {
    "everywhere": (ours_everywhere, judged_everywhere),
    "where asked": (ours_where_asked, judged_where_asked),
}
paths = pytest.mark.parametrize("path", PATHS)


def compare(config: ModelConfig, batch: MaskedBatch, path: str) -> dict[str, float]:
    """How far we are from PyTorch on one batch, at random weights."""
    ours, judged = PATHS[path]
    model = MiniBERT(config, dtype=np.float64)
    model.arena.flat[:] = lively_weights(model.network, seed=1).flat
    weights = tensors(model.arena)
    judge = Reference(config, weights)
    hidden = judge.hidden_states(torch.tensor(batch.ids), **as_tensors(batch))
    loss, logits = judged(judge.word_logits(hidden), batch)
    loss.backward()
    return errors(ours(model, batch), (loss.item(), logits.detach().numpy(), gradients(weights)), config)


def errors(ours: Answer, theirs: Answer, config: ModelConfig) -> dict[str, float]:
    (loss, logits, grads), (expected_loss, expected_logits, expected_grads) = ours, theirs
    sees_key_bias = config.positions == "rotary" or "disentangled" in config.positions
    return {
        "loss": normwise(loss, expected_loss),
        "logits": entrywise(logits, expected_logits),
        "gradient": worst(normwise, grads, expected_grads, sees_key_bias),
        "entries": worst(entrywise, grads, expected_grads, sees_key_bias),
    }


def reduced(config: ModelConfig) -> ModelConfig:
    """The same parts in the same proportions, six numbers to a head.

    Four layers at most: in a deep stack of random weights the tokens become alike, and the gradients of queries
    and keys are small differences of large numbers; after twelve layers rounding leaves ten digits of them.
    """
    H = 6 * config.num_heads
    return config.changed(
        vocab_size=61,
        hidden_size=H,
        num_layers=min(config.num_layers, 4),
        intermediate_size=H * config.intermediate_size // config.hidden_size,
        max_seq_length=12,
    )


BERT = ModelConfig.preset("bert-base", second_head="none")
JUDGED = [name for name in presets() if ModelConfig.preset(name).family == "mini"] + [
    "bert-base",
    "deberta-mini",
]
"""The other members of the family are judged by transformers, in test_members.py."""


@paths
@pytest.mark.parametrize("preset", JUDGED)
def test_presets_at_reduced_size(preset: str, path: str, measured: Measured) -> None:
    config = reduced(ModelConfig.preset(preset, second_head="none"))
    found = compare(config, padded_batch(config), path)
    measured(f"{preset}, reduced", **found)
    assert largest(found.values()) <= TOLERANCE, found


@paths
@pytest.mark.parametrize("preset", ["debug", "mini"])
def test_presets_as_they_are(preset: str, path: str, measured: Measured) -> None:
    config = ModelConfig.preset(preset)
    found = compare(config, padded_batch(config), path)
    measured(preset, **found)
    assert largest(found.values()) <= TOLERANCE, found


def test_a_position_asked_twice(measured: Measured) -> None:
    config = ModelConfig.preset("debug")
    batch = padded_batch(config)
    found = compare(config, replace(batch, positions=batch.positions[:, [0, 1, 0, 0]]), "where asked")
    measured("debug, positions asked repeatedly", **found)
    assert largest(found.values()) <= TOLERANCE, found


CHOICES: dict[str, tuple[Any, ...]] = {
    "residual": ("post-norm", "pre-norm"),
    "norm": ("layer", "rms"),
    "norm_eps": (1e-12, 0.1),
    "feed_forward": ("plain", "gated"),
    "activation": ("relu", "gelu", "gelu-tanh", "silu"),
    "positions": ("learned", "rotary", "relative", "disentangled", "learned-and-disentangled"),
    "buckets": (None, 4),
    "relative_norm": (False, True),
    "relative_projection": ("own", "shared"),
    "mask_decoder": ("none", "enhanced"),
    "token_types": (0, 3),
    "embedding_norm": (False, True),
    "final_norm": (False, True),
    "head_transform": (False, True),
    "tied": (False, True),
    "bias": (False, True),
    "layer_groups": (None, 1, 2),
    "checkpoint_activations": (False, True),
}


def threefold_combinations() -> Iterator[dict[str, Any]]:
    """Configurations in which any three choices meet: all products would be 1,966,080."""
    settings = {name: [(name, value) for value in values] for name, values in CHOICES.items()}
    unmet = {meeting for three in combinations(settings.values(), 3) for meeting in product(*three)}
    draw = Random(0)
    while unmet:
        chosen = [draw.choice(values) for values in settings.values()]
        if met := unmet.intersection(combinations(chosen, 3)):
            unmet -= met
            yield dict(chosen)


COMBINATIONS = list(threefold_combinations())


@paths
@pytest.mark.parametrize("choices", COMBINATIONS, ids=lambda choices: "-".join(map(str, choices.values())))
def test_combinations(choices: dict[str, Any], path: str, measured: Measured) -> None:
    config = reduced(ModelConfig(**choices))
    found = compare(config, padded_batch(config), path)
    measured(f"{len(COMBINATIONS)} combinations of parts", **found)
    assert largest(found.values()) <= TOLERANCE, found


H = reduced(BERT).hidden_size
HEADS: dict[str, tuple[Layer, Callable[[Reference, Tensor], Tensor]]] = {
    "classifier": (ClassifierHead(Pooler(Linear(H, H)), Linear(H, 5)), Reference.class_logits),
    "next sentence": (next_sentence_head(H), Reference.class_logits),
    "tagger": (TaggerHead(Linear(H, 7)), Reference.tag_logits),
}


@pytest.mark.parametrize("name", HEADS)
def test_other_heads(name: str, measured: Measured) -> None:
    """On top of a whole model, so that what a head sends down shows in the gradient of every weight."""
    head, judged = HEADS[name]
    config = reduced(BERT)
    network = replace(build_network(config), head=head)
    params: Arena = lively_weights(network, seed=1)
    batch, rng = padded_batch(config), np.random.default_rng(2)

    weights = tensors(params)
    judge = Reference(config, weights)
    expected = judged(judge, judge.hidden_states(torch.tensor(batch.ids), **as_tensors(batch)))
    *places, classes = expected.shape
    labels, shares = rng.integers(0, classes, places), rng.uniform(0.1, 1, places)
    expected_loss = weighted_loss(expected, labels, shares)
    expected_loss.backward()

    t = Trace(params, params.zeros_like(), inputs=batch.inputs)
    logits = network.forward(batch.ids, t)
    loss, probs = cross_entropy(logits, labels, shares)
    network.backward(cross_entropy_backward(probs, labels, shares), t)

    theirs = (expected_loss.item(), expected.detach().numpy(), gradients(weights))
    found = errors((float(loss), logits, t.grads), theirs, config)
    measured(f"{name} head", **found)
    assert largest(found.values()) <= TOLERANCE, found
