"""The guard tells spikes and numbers that are not finite, and the first place where they are."""

from math import inf, nan

import numpy as np
import pytest

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig
from mini_bert.training.culprits import largest_gradients, not_finite
from mini_bert.training.guard import ENOUGH, NEW_LEVEL, Guard
from mini_bert.training.verification import awkward_batch, lively_weights

CONFIG = ModelConfig.preset("debug", vocab_size=11, max_seq_length=6)


def practised(z_score=8.0):
    guard = Guard(z_score)
    for i in range(3 * ENOUGH):
        assert guard.judge(2.0, 1.0 + 0.1 * (i % 3)) == "fine"
    return guard


@pytest.mark.parametrize(("loss", "norm"), [(nan, 1.0), (inf, 1.0), (2.0, nan), (2.0, inf)])
def test_what_is_not_finite(loss, norm):
    assert practised().judge(loss, norm) == "not finite"
    assert Guard(8.0).judge(loss, norm) == "not finite"


def test_a_spike_is_told_and_not_remembered():
    guard = practised()
    assert guard.judge(2.0, 1.4) == "fine"
    assert guard.judge(2.0, 20.0) == "spike"
    assert guard.judge(2.0, 20.0) == "spike"
    assert guard.judge(2.0, 1.1) == "fine"


def test_few_steps_are_too_few_to_judge_by():
    guard = Guard(8.0)
    assert [guard.judge(2.0, norm) for norm in (1.0, 1.0, 1000.0)] == ["fine"] * 3


def test_gradients_that_stay_large_are_the_new_level():
    guard = practised()
    verdicts = [guard.judge(2.0, 30.0) for _ in range(4 * NEW_LEVEL)]
    assert verdicts == ["spike"] * (NEW_LEVEL - 1) + ["fine"] * (3 * NEW_LEVEL + 1)
    assert guard.judge(2.0, 900.0) == "spike"


def test_it_goes_on_from_its_state():
    one, two = practised(), Guard(8.0)
    one.judge(2.0, 20.0)
    two.load_state(one.state())
    norms = [20.0, 1.0, 25.0, 1.2] + 12 * [30.0]
    assert [one.judge(2.0, norm) for norm in norms] == [two.judge(2.0, norm) for norm in norms]


@pytest.fixture
def step():
    network = build_network(CONFIG)
    return network, lively_weights(network, 0), awkward_batch(CONFIG, 0, B=4)


def test_a_sound_step_has_no_culprit(step):
    assert not_finite(*step, micro_batch=2) == []


@pytest.mark.parametrize("name", ["encoder.layers.1.ffn.up.weight", "encoder.layers.0.ffn.down.bias"])
def test_a_broken_weight_is_named(step, name):
    network, params, batch = step
    params[name].flat[0] = nan
    assert not_finite(network, params, batch, 2) == [f"the weights {name}"]


def test_an_activation_that_overflows_is_named(step):
    network, params, batch = step
    params["encoder.layers.1.attn.query.weight"][:] *= 1e200
    params["encoder.layers.1.attn.key.weight"][:] *= 1e200
    assert not_finite(network, params, batch, 2) == ["the activations encoder.layers.1.attn.scores"]


def test_a_gradient_that_overflows_on_the_way_down_is_named(step):
    """The last norm divides by a small deviation, and so multiplies a gradient that is large already."""
    network, params, batch = step
    params["encoder.layers.1.ffn.norm.weight"][:] = 1e-5
    params["encoder.layers.1.ffn.norm.bias"][:] = 0
    params["head.decoder.weight"][:] *= 1e306
    assert not_finite(network, params, batch, 2) == ["the gradients of encoder.layers.1.out"]


def test_the_largest_gradients_come_first(step):
    grads = step[1].zeros_like()
    grads["head.decoder.bias"][:] = 5
    grads["final_norm.weight"][:] = 1
    assert largest_gradients(grads)[:2] == ["head.decoder.bias", "final_norm.weight"]
    assert np.isfinite(grads.flat).all()
