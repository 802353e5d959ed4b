"""The mathematics against formulas written out by hand: loops, and Python's own math."""

import math
import statistics
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.core.functions import activations, dropout, gather, linear, norm, rotary, softmax
from mini_bert.core.functions.activations import gelu, gelu_tanh, relu, silu, tanh
from mini_bert.core.functions.gather import (
    embedding,
    embedding_backward,
    take_positions,
    take_positions_backward,
)
from mini_bert.core.functions.softmax import (
    cross_entropy,
    cross_entropy_backward,
    log_softmax,
    log_softmax_backward,
)
from tests.tolerances import assert_close

dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def random(*shape: int, seed: int = 0):
    """Numbers that no function may write to."""
    values = np.random.default_rng(seed).standard_normal(shape)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("module", [activations, dropout, gather, linear, norm, rotary, softmax])
def test_each_backward_follows_its_forward(module: ModuleType):
    """On the page too: a function and its gradient stand next to each other."""
    names = [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    backwards = [name for name in names if name.endswith("_backward")]
    assert backwards
    for name in backwards:
        assert names[names.index(name) - 1] == name.removesuffix("_backward")


class TestLinear:
    @pytest.mark.parametrize("leading", [(), (5,), (2, 3), (2, 3, 2)], ids=str)
    def test_maps_the_last_axis(self, leading):
        x, W, b = random(*leading, 4), random(3, 4, seed=1), random(3, seed=2)
        y = linear.linear(x, W, b)
        assert y.shape == (*leading, 3)
        for place in np.ndindex(*leading):
            for o in range(3):
                assert y[*place, o] == pytest.approx(sum(x[*place, i] * W[o, i] for i in range(4)) + b[o])

    def test_rows_sums_and_means(self):
        x = random(2, 3, 4)
        assert_close(linear.sum_rows(x), x.sum((0, 1)))
        assert_close(linear.mean_last(x), x.mean(-1, keepdims=True))


class TestNorm:
    @pytest.mark.parametrize("eps", [1e-12, 0.5])
    def test_layer_norm(self, eps):
        x, gamma, beta = random(6), random(6, seed=1), random(6, seed=2)
        y, x_hat, inv_sigma = norm.layer_norm(x, gamma, beta, eps)
        mean, sigma = statistics.fmean(x), math.sqrt(statistics.pvariance(x) + eps)
        for i in range(6):
            assert x_hat[i] == pytest.approx((x[i] - mean) / sigma)
            assert y[i] == pytest.approx(gamma[i] * (x[i] - mean) / sigma + beta[i])
        assert inv_sigma[0] == pytest.approx(1 / sigma)

    @pytest.mark.parametrize("eps", [1e-12, 0.5])
    def test_rms_norm(self, eps):
        x, gamma = random(6), random(6, seed=1)
        y, x_hat, inv_r = norm.rms_norm(x, gamma, eps)
        r = math.sqrt(statistics.fmean(v * v for v in x) + eps)
        for i in range(6):
            assert x_hat[i] == pytest.approx(x[i] / r)
            assert y[i] == pytest.approx(gamma[i] * x[i] / r)
        assert inv_r[0] == pytest.approx(1 / r)

    @dtypes
    def test_equal_numbers_are_no_division_by_zero(self, dtype):
        x, ones = np.full((2, 4), 3, dtype), np.ones(4, dtype)
        y, _, inv_sigma = norm.layer_norm(x, ones, ones)
        assert_close(y, np.ones((2, 4)))
        assert np.isfinite(inv_sigma).all()


BY_HAND = {
    relu: lambda x: max(x, 0.0),
    gelu: lambda x: x * statistics.NormalDist().cdf(x),
    gelu_tanh: lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    silu: lambda x: x / (1 + math.exp(-x)),
    tanh: math.tanh,
}
EXTREMES = {relu: (1e4, 0), gelu: (1e4, 0), gelu_tanh: (1e4, 0), silu: (1e4, 0), tanh: (1, -1)}


def first(found):
    return found[0] if isinstance(found, tuple) else found


class TestActivations:
    @dtypes
    @pytest.mark.parametrize("function", BY_HAND, ids=lambda f: f.__name__)
    def test_by_hand(self, function, dtype):
        x = np.linspace(-6, 6, 241).astype(dtype)
        y = first(function(x))
        by_hand = [BY_HAND[function](float(v)) for v in x]
        assert y.dtype == dtype
        # Far left GELU is x (1 − 1), by hand too: its rounding error is |x| ≤ 6 times that of 1.
        np.testing.assert_allclose(
            y, by_hand, rtol=1e-12 if dtype is np.float64 else 1e-6, atol=6 * np.finfo(dtype).eps
        )

    @dtypes
    @pytest.mark.parametrize("function", EXTREMES, ids=lambda f: f.__name__)
    def test_extremes_neither_overflow_nor_warn(self, function, dtype):
        np.testing.assert_array_equal(first(function(np.array([1e4, -1e4], dtype))), EXTREMES[function])

    def test_silu_in_float32_is_accurate_far_to_the_left(self):
        """Where σ(x) is as small as 10⁻³⁵, it is still a number of seven digits."""
        x = np.linspace(-80, 20, 1001, dtype=np.float32)
        single, double = silu(x), silu(x.astype(np.float64))
        for found, wanted in zip(single, double, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
        by_hand = [math.exp(float(v)) / (1 + math.exp(float(v))) for v in x]
        np.testing.assert_allclose(double[1], by_hand, rtol=1e-14)


class TestSoftmax:
    def test_by_hand(self):
        s = random(3, 5)
        p = softmax.softmax(s)
        for row, place in np.ndindex(3, 5):
            assert p[row, place] == pytest.approx(math.exp(s[row, place]) / sum(math.exp(v) for v in s[row]))
        assert_close(log_softmax(s), np.log(p))

    @dtypes
    def test_extreme_scores(self, dtype):
        s = np.array([[1e4, -1e4, -1e9], [-1e4, -1e4, -1e9]], dtype)
        np.testing.assert_array_equal(softmax.softmax(s), [[1, 0, 0], [0.5, 0.5, 0]])
        half = math.log(0.5)
        expected = [[0, -2e4, -1e9 - 1e4], [half, half, -1e9 + 1e4 + half]]
        np.testing.assert_allclose(log_softmax(s), expected, rtol=1e-7)

    @given(st.floats(-1e4, 1e4))
    def test_a_shift_changes_nothing(self, shift):
        s = random(5)
        assert_close(softmax.softmax(s + shift), softmax.softmax(s))

    @pytest.mark.parametrize("name", ["softmax", "log_softmax"])
    def test_backward_by_complex_step(self, name):
        """ds = Jᵀ dy, and column j of J is Im f(s + ih e_j) / h."""
        s, dy, h = random(5), random(5, seed=1), 1e-30
        f, f_backward = getattr(softmax, name), getattr(softmax, f"{name}_backward")
        jacobian = np.array([f(s + 1j * h * e).imag / h for e in np.eye(5)])  # [j, i] = ∂y_i/∂s_j
        assert_close(f_backward(dy, f(s)), jacobian @ dy, rtol=1e-12)

    @dtypes
    def test_dtype(self, dtype):
        s, dy = random(2, 5).astype(dtype), random(2, 5, seed=1).astype(dtype)
        p, log_p = softmax.softmax(s), log_softmax(s)
        found = p, log_p, softmax.softmax_backward(dy, p), log_softmax_backward(dy, log_p)
        assert {array.dtype for array in found} == {np.dtype(dtype)}


class TestCrossEntropy:
    LABELS = np.array([[1, 4], [0, 2]])
    WEIGHTS = np.array([[0.1, 0.4], [0.0, 0.5]])

    def test_by_hand(self):
        logits = random(2, 2, 5)
        loss, p = cross_entropy(logits, self.LABELS, self.WEIGHTS)
        by_hand = sum(
            weight * (math.log(sum(math.exp(v) for v in logits[place])) - logits[place][self.LABELS[place]])
            for place, weight in np.ndenumerate(self.WEIGHTS)
        )
        assert loss == pytest.approx(by_hand, rel=1e-14)
        assert_close(p, softmax.softmax(logits))

    def test_backward_by_complex_step(self):
        logits, h = random(2, 2, 5), 1e-30
        _, p = cross_entropy(logits, self.LABELS, self.WEIGHTS)
        dlogits = cross_entropy_backward(p, self.LABELS, self.WEIGHTS)
        for place in np.ndindex(logits.shape):
            moved = logits.astype(complex)
            moved[place] += 1j * h
            loss, _ = cross_entropy(moved, self.LABELS, self.WEIGHTS)
            assert dlogits[place] == pytest.approx(loss.imag / h, rel=1e-12, abs=1e-15)

    @dtypes
    def test_extreme_logits_give_a_finite_loss_and_gradient(self, dtype):
        logits = np.array([[1e4, -1e4], [1e4, -1e4]], dtype)
        labels, weights = np.array([0, 1]), np.ones(2, dtype)
        loss, p = cross_entropy(logits, labels, weights)
        assert (loss, loss.dtype) == (2e4, dtype)
        dlogits = cross_entropy_backward(p, labels, weights)
        np.testing.assert_array_equal(dlogits, [[0, 0], [1, -1]])
        assert dlogits.dtype == dtype

    def test_the_logits_decide_the_dtype(self):
        loss, p = cross_entropy(random(2, 2, 5).astype(np.float32), self.LABELS, self.WEIGHTS)
        dlogits = cross_entropy_backward(p, self.LABELS, self.WEIGHTS)
        assert loss.dtype == p.dtype == dlogits.dtype == np.float32

    def test_weight_0_leaves_a_position_out(self):
        logits, other = random(2, 2, 5), np.array([[1, 4], [3, 2]])  # another label where the weight is 0
        loss, p = cross_entropy(logits, self.LABELS, self.WEIGHTS)
        assert cross_entropy(logits, other, self.WEIGHTS)[0] == loss
        assert not cross_entropy_backward(p, other, self.WEIGHTS)[1, 0].any()


class TestGather:
    @given(st.lists(st.integers(0, 5), min_size=1, max_size=24))
    def test_embedding_backward_adds_at_each_row(self, ids):
        ids, dy = np.array(ids), random(len(ids), 3)
        expected = np.zeros((6, 3))
        np.add.at(expected, ids, dy)
        found, rows = embedding_backward(dy, ids)
        dtable = np.zeros((6, 3))
        dtable[found] = rows
        assert found.tolist() == sorted(set(ids.tolist()))
        assert_close(dtable, expected)

    @dtypes
    def test_embedding_of_a_batch(self, dtype):
        ids, table = np.array([[2, 0, 2], [1, 2, 1]]), random(4, 3).astype(dtype)
        y = embedding(ids, table)
        found, rows = embedding_backward(np.ones_like(y), ids)
        for place, word in np.ndenumerate(ids):
            np.testing.assert_array_equal(y[place], table[word])
        np.testing.assert_array_equal(found, [0, 1, 2])
        np.testing.assert_array_equal(rows, np.repeat([[1], [2], [3]], 3, axis=1))
        assert y.dtype == rows.dtype == dtype

    def test_take_positions_and_back(self):
        x, positions = random(2, 4, 3), np.array([[3, 0], [1, 1]])
        y, dy = take_positions(x, positions), random(2, 2, 3, seed=1)
        expected = np.zeros_like(x)
        for b, place in np.ndindex(positions.shape):
            np.testing.assert_array_equal(y[b, place], x[b, positions[b, place]])
            expected[b, positions[b, place]] += dy[b, place]
        assert_close(take_positions_backward(dy, positions, 4), expected)


class TestRotary:
    def test_turns_each_pair_by_its_angle(self):
        x, positions = random(2, 5, 6), np.array([0, 1, 2, 7, 100])
        y = rotary.rotary(x, positions)
        for b, i, j in np.ndindex(2, 5, 3):
            angle = positions[i] * 10000 ** (-2 * j / 6)
            one, two = x[b, i, j], x[b, i, j + 3]
            assert y[b, i, j] == pytest.approx(one * math.cos(angle) - two * math.sin(angle))
            assert y[b, i, j + 3] == pytest.approx(one * math.sin(angle) + two * math.cos(angle))

    @dtypes
    def test_backward_turns_back(self, dtype):
        x, positions = random(2, 5, 6).astype(dtype), np.arange(5)
        turned = rotary.rotary(x, positions)
        assert turned.dtype == dtype
        assert_close(rotary.rotary_backward(turned, positions), x)
