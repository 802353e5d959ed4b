"""How weights begin."""

from math import sqrt

import numpy as np
import pytest

from mini_bert.core.arena import Arena
from mini_bert.core.initializers import DepthScaled, He, Normal, TruncatedNormal, Xavier
from mini_bert.core.layer import Weight
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

WEIGHTS = {
    "table": Weight((400, 100), "table"),
    "ffn.up.weight": Weight((400, 100), "matrix"),
    "ffn.down.weight": Weight((100, 400), "matrix"),
    "gain": Weight((100,), "gain"),
    "bias": Weight((100,), "bias"),
}
CUT = 0.8796  # the spread of a standard normal that is cut off at ±2

SPREADS = [
    (Normal(0.05), (0.05, 0.05, 0.05)),
    (TruncatedNormal(0.05), (0.05 * CUT, 0.05 * CUT, 0.05 * CUT)),
    (Xavier(0.05), (0.05, sqrt(2 / 500), sqrt(2 / 500))),
    (He(0.05), (0.05, sqrt(2 / 100), sqrt(2 / 400))),
    (DepthScaled(0.05, depth=8, writers=("*.down.weight",)), (0.05, 0.05, 0.05 / 4)),
]

every_initializer = pytest.mark.parametrize(
    "initializer", [i for i, _ in SPREADS], ids=lambda i: type(i).__name__
)


def filled(initializer, weights=WEIGHTS, seed=0, dtype=np.float64):
    params = Arena(weights, dtype)
    initializer.fill(params, seed)
    return params


@pytest.mark.parametrize(("initializer", "spreads"), SPREADS, ids=lambda value: type(value).__name__)
def test_spread_of_each_kind(initializer, spreads):
    params = filled(initializer)
    for name, spread in zip(WEIGHTS, spreads, strict=False):
        assert params[name].std() == pytest.approx(spread, rel=0.02)  # 40,000 draws: within 0.4 %
        assert params[name].mean() == pytest.approx(0, abs=4 * spread / 200)


@every_initializer
def test_gains_start_as_ones_and_biases_as_zeros(initializer):
    params = filled(initializer)
    assert (params["gain"] == 1).all()
    assert (params["bias"] == 0).all()


def test_truncated_stays_within_two_spreads():
    values = filled(TruncatedNormal(0.05))["table"]
    assert abs(values).max() <= 0.1
    assert abs(values).max() > 0.099


@every_initializer
def test_adding_a_part_disturbs_no_other(initializer):
    alone = filled(initializer, {"table": WEIGHTS["table"]})
    np.testing.assert_array_equal(filled(initializer)["table"], alone["table"])


def test_adding_parts_to_a_model_disturbs_no_other():
    config = ModelConfig.preset("debug")
    plain = MiniBERT(config).arena
    extended = MiniBERT(config.changed(token_types=2, head_transform=True, num_layers=3)).arena
    assert len(extended) > len(plain)
    for name, weight in plain.items():
        np.testing.assert_array_equal(extended[name], weight)


def test_no_two_weights_and_no_two_seeds_are_alike():
    params, other = filled(Normal()), filled(Normal(), seed=1)
    assert not (params["table"] == params["ffn.up.weight"]).any()
    assert not (params["table"] == other["table"]).any()


def test_a_seed_gives_the_same_model_in_either_dtype():
    single, double = (filled(Normal(), dtype=dtype).flat for dtype in (np.float32, np.float64))
    np.testing.assert_array_equal(single, double.astype(np.float32))


@pytest.mark.parametrize(
    ("kind", "spread"),
    [("normal", 0.02), ("truncated", 0.02 * CUT), ("xavier", sqrt(2 / 96)), ("he", sqrt(2 / 64))],
)
def test_the_configuration_chooses(kind, spread):
    config = ModelConfig.preset("debug", initializer={"kind": kind})
    down = np.concatenate([MiniBERT(config, seed=seed).params["W2_0"].ravel() for seed in range(5)])
    assert down.std() == pytest.approx(spread, rel=0.05)  # 10,240 draws


def test_depth_scaled_counts_the_layers_of_the_model():
    config = ModelConfig.preset("debug", num_layers=8, initializer={"kind": "depth-scaled"})
    params = MiniBERT(config).params
    writers = np.concatenate([params[f"W2_{i}"].ravel() for i in range(8)])
    readers = np.concatenate([params[f"W1_{i}"].ravel() for i in range(8)])
    assert writers.std() == pytest.approx(0.02 / 4, rel=0.05)
    assert readers.std() == pytest.approx(0.02, rel=0.05)
