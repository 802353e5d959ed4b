"""The learning rate of each layer."""

import doctest

import pytest

from mini_bert import MiniBERT, ModelConfig
from mini_bert.training import layer_rates
from mini_bert.training.layer_rates import compute_layer_wise_learning_rates
from mini_bert.training.optimizers import AdamW


def test_examples():
    results = doctest.testmod(layer_rates)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_weight_has_a_rate_that_falls_with_depth():
    model = MiniBERT(ModelConfig.preset("debug", num_layers=3))
    rates = compute_layer_wise_learning_rates(model, base_rate=0.2, decay=0.5)
    assert rates.keys() == model.arena.keys()
    assert {rate for name, rate in rates.items() if name.startswith(("head.", "final_norm."))} == {0.2}
    for layer, rate in enumerate([0.05, 0.1, 0.2]):
        at = f"encoder.layers.{layer}."
        assert {rates[name] for name in rates if name.startswith(at)} == {rate}
    assert {rate for name, rate in rates.items() if name.startswith("embeddings.")} == {0.025}
    assert compute_layer_wise_learning_rates(model.arena, 0.2, 0.5) == rates


def test_a_shared_layer_is_one_layer():
    model = MiniBERT(ModelConfig.preset("debug", num_layers=4, layer_groups=1))
    rates = compute_layer_wise_learning_rates(model, base_rate=1.0, decay=0.5)
    assert {rate for name, rate in rates.items() if name.startswith("encoder.")} == {1.0}
    assert rates["embeddings.token.weight"] == 0.5


def test_an_optimizer_takes_them():
    model = MiniBERT("debug", dtype="float64")
    before, grads = model.arena.copy(), model.arena.zeros_like()
    grads.flat[:] = 1
    rates = compute_layer_wise_learning_rates(model, decay=0.5)
    AdamW(model.arena, learning_rate=0.1, weight_decay=0, eps=0, rates=rates).step(grads)
    for name, rate in rates.items():
        assert before[name] - model.arena[name] == pytest.approx(0.1 * rate)


@pytest.mark.parametrize("decay", [0, 1.5])
def test_impossible_decays_are_refused(decay):
    with pytest.raises(ValueError, match="decay="):
        compute_layer_wise_learning_rates(["W_Q_0"], 1.0, decay)
