"""Predicted cost against measured: every array a real pass keeps, and FLOPs against a formula by hand."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from mini_bert.core.attention import Attention
from mini_bert.core.electra import Electra
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.heads import ClassifierHead, Pooler, ReplacedTokenHead, TaggerHead, next_sentence_head
from mini_bert.core.layer import Identity, Layer, Weight
from mini_bert.core.layers import Dropout, Linear
from mini_bert.core.network import Network
from mini_bert.core.pooling import LastToken, MeanOfTokens
from mini_bert.core.terms import Padding, Term
from mini_bert.core.trace import Trace
from mini_bert.core.two_streams import TwoStreamStack
from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.cost import (
    ID_BYTES,
    Rehearsal,
    Shape,
    by_part,
    measured_bytes,
    parameters,
    rehearse,
    rehearse_training,
)
from mini_bert.training.objectives import MaskedBatch, Question, pretraining_loss
from mini_bert.training.objectives.replaced_tokens import ReplacedTokens

B, T, K = 2, 7, 3

VARIANTS = {
    "plain": {},
    "pre-norm": {"residual": "pre-norm"},
    "gated": {"feed_forward": "gated", "activation": "silu"},
    "gated relu": {"feed_forward": "gated"},
    "gelu": {"activation": "gelu"},
    "gelu-tanh": {"activation": "gelu-tanh"},
    "rotary": {"positions": "rotary"},
    "relative": {"positions": "relative"},
    "disentangled": {"positions": "disentangled", "dropout": 0.1},
    "disentangled, clipped": {"positions": "learned-and-disentangled", "reach": 2, "disentangled": "p2c"},
    "disentangled, in buckets": {
        "positions": "disentangled",
        "buckets": 4,
        "relative_norm": True,
        "relative_projection": "shared",
    },
    "enhanced mask decoder": {"positions": "disentangled", "mask_decoder": "enhanced"},
    "enhanced mask decoder, pre-norm": {"mask_decoder": "enhanced", "residual": "pre-norm", "dropout": 0.1},
    "enhanced mask decoder, checkpointing": {"mask_decoder": "enhanced", "checkpoint_activations": True},
    "gated attention": {"attention": "gated", "dropout": 0.1},
    "narrow tables": {"embedding_size": 8, "tied": True, "head_transform": True},
    "positions after padding": {"positions": "after-padding", "padding_id": 3},
    "rms": {"norm": "rms"},
    "dropout": {"dropout": 0.1, "attention_dropout": 0.2},
    "checkpointing": {"checkpoint_activations": True, "dropout": 0.1},
    "sharing": {"layer_groups": 1, "num_layers": 3},
    "token types": {"token_types": 2, "embedding_norm": True},
    "head transform": {"head_transform": True},
    "head transform, gelu": {"head_transform": True, "activation": "gelu", "final_norm": False},
    "tied": {"tied": True, "bias": False},
    "distances": {"positions": "transformer-xl"},
    "two streams": {"positions": "transformer-xl", "streams": 2, "token_types": 2, "segments": "relative"},
    "two streams, checkpointing": {"positions": "rotary", "streams": 2, "checkpoint_activations": True},
    "combination": {
        "residual": "pre-norm",
        "feed_forward": "gated",
        "activation": "gelu",
        "positions": "rotary",
        "norm": "rms",
        "dropout": 0.1,
        "attention_dropout": 0.1,
        "checkpoint_activations": True,
        "layer_groups": 1,
        "head_transform": True,
        "tied": True,
    },
}


def zero_weights(network: Network) -> dict[str, np.ndarray]:
    return {name: np.zeros(weight.shape, np.float32) for name, weight in network.all_weights().items()}


def real_training_pass(network: Network, k: int = K) -> Trace:
    ids = np.ones((B, T), np.int64)
    positions = np.tile(np.arange(k), (B, 1))
    inputs = {"order": np.zeros((B, T), int)} if isinstance(network.encoder, TwoStreamStack) else None
    weights = np.full((B, k), 1 / (B * k), np.float32)
    batch = MaskedBatch(ids, positions, np.ones((B, k), int), weights, inputs)
    if isinstance(network, Electra):
        every = Question(np.tile(np.arange(T), (B, 1)), np.zeros((B, T), int), np.zeros((B, T), np.float32))
        batch = replace(batch, question=every, draws=np.zeros((B, k)))
        return ReplacedTokens().loss(network, zero_weights(network), batch, Noise())[1]
    if isinstance(network.second_head, ClassifierHead):
        first = Question(np.zeros((B, 1), int), np.zeros(B, int), np.full(B, 1 / B, np.float32))
        batch = replace(batch, question=first)
    return pretraining_loss(network, zero_weights(network), batch, Noise())[1]


def assert_agree(predicted: Rehearsal, real: Trace) -> None:
    sizes = {name: array.nbytes for name, array in real.kept.items()}
    assert {name: shape.nbytes for name, shape in predicted.kept.items()} == sizes
    assert predicted.kept_bytes == measured_bytes(real.kept)


@pytest.mark.parametrize("name", presets())
def test_kept_memory_of_presets(name):
    network = build_network(small_preset(name))
    if isinstance(network.head, ReplacedTokenHead) and not isinstance(network, Electra):
        # only beside a generator is there something to learn
        predicted, real = Rehearsal(noisy=True), Trace(zero_weights(network), noise=Noise())
        network.forward(np.ones((B, T), np.int64), real)
        rehearse(network, Shape((B, T), ID_BYTES), predicted)
        assert_agree(predicted, real)
    else:
        assert_agree(rehearse_training(network, B, T, K), real_training_pass(network))


def small_preset(name: str) -> ModelConfig:
    """The parts of a preset, at the sizes of `debug`: the published ones are large."""
    depth = min(ModelConfig.preset(name).num_layers, 2)
    sizes = {"hidden_size": 32, "num_heads": 4, "intermediate_size": 64, "num_layers": depth}
    return ModelConfig.preset(name, **sizes, vocab_size=512, max_seq_length=32)


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS.keys())
def test_kept_memory_of_variants(settings):
    network = build_network(ModelConfig.preset("debug", **settings))
    assert_agree(rehearse_training(network, B, T, K), real_training_pass(network))


@pytest.mark.parametrize(
    "head",
    [
        next_sentence_head(32),
        ClassifierHead(Pooler(Linear(32, 8)), Linear(8, 3), Dropout(0.1)),
        TaggerHead(Linear(32, 5), Dropout(0.1)),
        ClassifierHead(LastToken(), Linear(32, 3)),
        ClassifierHead(MeanOfTokens(), Linear(32, 3)),
    ],
    ids=lambda head: type(head).__name__,
)
def test_kept_memory_of_other_heads_when_all_positions_are_asked(head):
    network = replace(build_network(ModelConfig.preset("debug")), head=head)
    real = Trace(zero_weights(network), noise=Noise())
    logits = network.forward(np.ones((B, T), np.int64), real)
    predicted = Rehearsal(noisy=True)
    assert rehearse(network, Shape((B, T), ID_BYTES), predicted).axes == logits.shape
    assert_agree(predicted, real)


def test_without_noise_dropout_keeps_nothing():
    network = build_network(ModelConfig.preset("debug", dropout=0.1, attention_dropout=0.1))
    real = Trace(zero_weights(network))
    network.forward(np.ones((B, T), np.int64), real)
    predicted = Rehearsal()
    rehearse(network, Shape((B, T), ID_BYTES), predicted)
    assert_agree(predicted, real)


@pytest.mark.parametrize("positions", ["transformer-xl", "rotary"])
def test_what_is_remembered_is_kept_with_what_is_read(positions):
    M, H = 4, 32
    network = build_network(ModelConfig.preset("debug", positions=positions, memory=M))
    paths = [f"encoder.layers.{i}.attn." for i in range(2)]
    real = Trace(zero_weights(network), memory={path: np.zeros((B, M, H), np.float32) for path in paths})
    network.forward(np.ones((B, T), np.int64), real)
    predicted = Rehearsal(memory=M)
    rehearse(network, Shape((B, T), ID_BYTES), predicted)
    assert_agree(predicted, real)


def test_flops_of_two_streams_by_hand():
    """Rows that ask are queries and go through the feed-forward, but are neither keys nor values."""
    T, k, H, I, V = 64, 10, 192, 768, 8192
    N, R = 2 * T - 1, T + k

    def layer(asking):
        maps = 2 * T * H * H + asking * (2 * H * H + 2 * H * I)  # keys and values; queries and outputs
        return B * maps + B * asking * H * (2 * T + N) + N * H * H

    cost = rehearse_training(build_network(ModelConfig.preset("xlnet-mini")), B, T, k)
    assert cost.forward_flops == 2 * (2 * layer(R) + layer(k) + B * k * H * V)


def test_float64_takes_twice_the_memory_but_for_the_ids():
    network = build_network(ModelConfig.preset("debug"))
    single, double = (rehearse_training(network, B, T, K, itemsize=n).kept_bytes for n in (4, 8))
    assert double - ID_BYTES * B * T == 2 * (single - ID_BYTES * B * T)


def test_flops_of_mini_by_hand():
    B, T, k, H, I, V = 8, 64, 10, 192, 768, 8192
    whole_layer = B * T * (4 * H * H + 2 * H * I) + 2 * B * T * T * H
    last_layer = B * T * 2 * H * H + B * k * (2 * H * H + 2 * H * I) + 2 * B * k * T * H
    head = B * k * H * V
    cost = rehearse_training(build_network(ModelConfig()), B, T, k)
    assert cost.forward_flops == 2 * (2 * whole_layer + last_layer + head)
    assert cost.backward_flops == 2 * cost.forward_flops


def test_checkpoints_repeat_the_layers_and_nothing_else():
    plain, checkpointed = (
        rehearse_training(build_network(ModelConfig.preset("debug", checkpoint_activations=answer)), B, T, K)
        for answer in (False, True)
    )
    layers = sum(amount for name, amount in plain.flops.items() if name.startswith("encoder."))
    assert checkpointed.forward_flops == plain.forward_flops
    assert checkpointed.backward_flops == plain.backward_flops + layers
    assert checkpointed.kept_bytes < plain.kept_bytes


def test_sharing_saves_parameters_but_no_flops():
    own, shared = (build_network(ModelConfig.preset("debug", layer_groups=groups)) for groups in (None, 1))
    assert rehearse_training(own, B, T).flops == rehearse_training(shared, B, T).flops
    assert sum(parameters(own).values()) > sum(parameters(shared).values())


def test_parts_of_mini():
    assert by_part(parameters(build_network(ModelConfig()))) == {
        "tokens": 8192 * 192,
        "positions": 64 * 192,
        "attention": 3 * 4 * (192 * 192 + 192),
        "feed-forward": 3 * (2 * 192 * 768 + 768 + 192),
        "layer norms": 3 * 2 * 2 * 192,
        "final norm": 2 * 192,
        "head": 8192 * 192 + 8192,
    }


@pytest.mark.parametrize("name", presets())
def test_every_amount_belongs_to_a_part(name):
    network = build_network(ModelConfig.preset(name, checkpoint_activations=True))
    cost = rehearse_training(network, B, T, K)
    for amounts in (parameters(network), cost.flops, cost.bytes_by_name):
        assert by_part(amounts).total() == sum(amounts.values())


@dataclass(frozen=True)
class NewLeaf(Layer):
    forward, backward = Identity.forward, Identity.backward


@dataclass(frozen=True)
class NewWeight(NewLeaf):
    """Made of parts, but not of them alone."""

    body: Layer = Linear(32, 32)

    def weights(self):
        return {"scale": Weight((32,), "gain")}


@dataclass(frozen=True)
class NewTerm(Term):
    scope = "new"
    forward, backward = Padding.forward, Padding.backward


@pytest.mark.parametrize(
    "part",
    [NewLeaf(), NewWeight(), Attention(2, *[Linear(32, 32)] * 4, terms=(NewTerm(),))],
    ids=["leaf", "weight of its own", "term"],
)
def test_a_part_whose_cost_nobody_told_is_refused(part):
    with pytest.raises(TypeError, match=r"New\w+: its cost is not known; register it in models/cost"):
        rehearse(part, Shape((B, T, 32), 4), Rehearsal())
