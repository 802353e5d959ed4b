"""What norms do to numbers, and to gradients on their way back."""

import numpy as np
import pytest

from mini_bert.analysis import layer_norm_statistics, read
from mini_bert.core.functions.norm import layer_norm, layer_norm_backward, rms_norm, rms_norm_backward
from mini_bert.models.zoo import MEMBERS
from tests.tolerances import assert_close
from tests.unit.small_zoo import small_model
from tests.unit.variants import MODERN

TEXT = "the dog saw the cat ."


def test_statistics_are_those_of_the_arrays_before_and_after(tokenizer):
    reading = read(small_model(tokenizer), TEXT)
    norms = layer_norm_statistics(reading)
    assert [norm.name for norm in norms] == ["norm1_0", "norm2_0", "norm1_1", "norm2_1", "hidden_states"]
    x, y = reading.passed["residual1_0"][0], reading.passed["norm1_0"][0]
    norm = norms["norm1_0"]
    for token in range(len(x)):
        assert norm.mean_before[token] == pytest.approx(sum(x[token]) / 16)
        assert norm.std_after[token] == pytest.approx(np.sqrt(sum((y[token] - y[token].mean()) ** 2) / 16))
        assert norm.scale[token] == pytest.approx(1 / norm.std_before[token])
    assert_close(norm.std_normalized, np.ones(len(x)))
    assert abs(norm.mean_normalized).max() < 1e-14


def jacobian(x, gamma, rms):
    """dx for every direction of dy, one row of the identity after the other, by the model's own backward pass."""
    if rms:
        _, x_hat, inv = rms_norm(x[None], gamma, 1e-3)
        return np.stack([rms_norm_backward(one[None], x_hat, inv, gamma)[0][0] for one in np.eye(len(x))])
    _, x_hat, inv = layer_norm(x[None], gamma, 0 * gamma, 1e-3)
    return np.stack([layer_norm_backward(one[None], x_hat, inv, gamma)[0][0] for one in np.eye(len(x))])


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_gradients_are_scaled_as_the_backward_pass_scales_them(tokenizer, kind):
    """A large ε: x̂ is then shorter than √H."""
    model = small_model(tokenizer, norm=kind, norm_eps=1e-3)
    rng = np.random.default_rng(0)
    gamma = model.params["gamma1_0"]
    gamma[...] = rng.normal(1, 0.5, gamma.shape)
    reading = read(model, TEXT)
    norm = layer_norm_statistics(reading)["norm1_0"]
    x = reading.passed["residual1_0"][0]
    for token in (0, 3):
        J = jacobian(x[token], gamma, kind == "rms")
        assert norm.gradient_ratio[token] == pytest.approx(np.linalg.norm(J) / np.sqrt(16))
        plain = jacobian(x[token], np.ones(16), kind == "rms")
        assert norm.without_gain[token] == pytest.approx(np.linalg.norm(plain) / np.sqrt(16))


def test_a_loud_channel_and_a_large_gain_are_found(tokenizer):
    model = small_model(tokenizer)
    model.params["b_O_0"][11] = 90
    model.params["gamma2_1"][5] = -7
    norms = layer_norm_statistics(read(model, TEXT))
    assert norms["norm1_0"].loudest[0].channel == 11
    assert norms["norm1_0"].loudest[0].value > 0.9
    assert norms["norm1_0"].share_of_square.sum() == pytest.approx(1)
    assert norms["norm2_1"].largest_gains[0] == (5, -7)


@pytest.mark.parametrize("member", MEMBERS)
def test_every_norm_of_every_member_is_told(tokenizer, member):
    reading = read(small_model(tokenizer, member), TEXT)
    norms = layer_norm_statistics(reading)
    kept = [name for name in reading.passed.arrays if name.endswith("x_hat") and "table" not in name]
    assert len(norms) == len(kept)
    assert all(np.isfinite(norm.gradient_ratio).all() for norm in norms)


def test_the_norms_of_a_modern_model_have_no_shift_and_draw_themselves(tokenizer):
    norms = layer_norm_statistics(read(small_model(tokenizer, **MODERN), TEXT))
    assert {(norm.kind, norm.shifts is None) for norm in norms} == {("rms", True)}
    assert "norm2_1" in norms._repr_svg_()
    with pytest.raises(KeyError, match="unknown norm 'norm9_0'"):
        norms["norm9_0"]
