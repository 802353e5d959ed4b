"""The learning guide's vocabulary, as it is written there."""

import numpy as np
import pytest

import mini_bert
from mini_bert import (
    MiniBERT,
    MiniBERTGradients,
    MiniTransformerLayer,
    ModelFactory,
    gradient_check,
    layernorm_backward,
    linear_backward,
    mlm_cross_entropy,
    softmax_backward,
)
from mini_bert.core.functions.norm import layer_norm
from mini_bert.core.functions.softmax import softmax
from mini_bert.models.names import short
from tests.tolerances import assert_close

IDS = np.array([[2, 5, 4, 7, 3], [2, 4, 9, 3, 0]])
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]])
TARGETS = np.array([[2, 5, 6, 7, 3], [2, 8, 9, 3, 0]])
MASKED = np.array([[0, 0, 1, 0, 0], [0, 1, 0, 0, 0]], bool)

SHORT_NAMES = [
    *("token_embeddings", "position_embeddings", "gamma_f", "beta_f", "W_mlm", "b_mlm"),
    *(
        f"{name}_{i}"
        for i in range(2)
        for name in (
            *("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O", "b_O", "gamma1", "beta1"),
            *("W1", "b1", "W2", "b2", "gamma2", "beta2"),
        )
    ),
]


@pytest.fixture
def model():
    return MiniBERT("debug", dtype=np.float64)


@pytest.fixture
def states():
    return np.random.default_rng(0).standard_normal((2, 5, 32))


def test_every_public_name_is_there():
    for name in mini_bert.__all__:
        assert callable(getattr(mini_bert, name))
    assert set(mini_bert.__all__) <= set(dir(mini_bert))


def test_forward_gives_logits_and_a_cache(model):
    logits, cache = model.forward(IDS, attention_mask=MASK)
    assert logits.shape == (2, 5, 512)
    assert cache["attention_weights_0"].shape == (2, 4, 5, 5)
    assert not cache["attention_weights_0"][1, :, :, 4].any()
    without, _ = model.forward(IDS)
    assert (without[1] != logits[1]).any()
    np.testing.assert_array_equal(without[0], logits[0])


def test_the_model_shows_its_tables_and_its_configuration(model):
    assert model.token_embeddings.shape == (512, 32)
    assert model.position_embeddings.shape == (32, 32)
    names = ("hidden_size", "num_layers", "num_heads", "intermediate_size", "max_seq_length", "vocab_size")
    assert [getattr(model.config, name) for name in names] == [32, 2, 4, 64, 32, 512]
    model.token_embeddings[5] = 1
    assert (model.params["embeddings.token.weight"][5] == 1).all()


def test_weights_and_gradients_have_exactly_the_guide_s_names(model):
    assert set(model.params) == set(MiniBERTGradients(model).gradients) == set(SHORT_NAMES)


class TestAttention:
    def test_is_the_layer_s_own(self, model, states):
        output, cache = model.multi_head_attention(states, layer=1)
        p = model.params
        heads = (2, 5, 4, 8)
        Q, K, V = (
            (states @ p[f"W_{name}_1"] + p[f"b_{name}_1"]).reshape(heads).swapaxes(1, 2) for name in "QKV"
        )
        weights = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(8))
        context = (weights @ V).swapaxes(1, 2).reshape(2, 5, 32)
        for name, expected in {
            "Q": Q,
            "K": K,
            "V": V,
            "attention_weights": weights,
            "context": context,
        }.items():
            assert_close(cache[name], expected)
        assert_close(output, context @ p["W_O_1"] + p["b_O_1"])

    def test_layer_0_unless_another_is_named(self, model, states):
        np.testing.assert_array_equal(
            model.multi_head_attention(states)[0], model.multi_head_attention(states, layer=0)[0]
        )


class TestLayer:
    def test_is_the_model_s_own(self, model):
        _, whole = model.forward(IDS, MASK)
        y, cache = MiniTransformerLayer(model, 1).forward(whole["layer_output_0"], MASK)
        np.testing.assert_array_equal(y, whole["layer_output_1"])
        for name in ("Q", "K", "V", "attention_weights", "context", "ffn_hidden"):
            np.testing.assert_array_equal(cache[name], whole[f"{name}_1"])
        np.testing.assert_array_equal(cache["Q_1"], whole["Q_1"])

    def test_backward_is_the_model_s_own(self, model):
        """Given the gradient that reaches the layer in the whole model, it gives what leaves it there."""
        whole = model.trace(IDS, attention_mask=MASK)
        layer = MiniTransformerLayer(model, 1)
        _, cache = layer.forward(whole["layer_output_0"], MASK)
        dx, gradients = layer.backward(whole.activation_gradients["layer_output_1"], cache)
        assert_close(dx, whole.activation_gradients["layer_output_0"])
        assert set(gradients) == {name for name in SHORT_NAMES if name.endswith("_1")}
        for name, grad in gradients.items():
            assert_close(grad, whole.gradients[name])

    def test_stands_alone(self):
        y, _ = MiniTransformerLayer().forward(np.zeros((1, 2, 192)))
        assert y.shape == (1, 2, 192)

    @pytest.mark.parametrize("mask", [[[1, 1]], [[1, 2, 1, 1, 1]] * 2])
    def test_a_mask_that_does_not_fit(self, model, states, mask):
        with pytest.raises(ValueError, match="attention_mask: "):
            MiniTransformerLayer(model).forward(states, mask)


class TestGradients:
    def test_from_logits_to_every_weight(self, model):
        logits, cache = model.forward(IDS, MASK)
        gradients = MiniBERTGradients(model)
        gradients.zero_gradients()
        loss, grad_logits = gradients.compute_mlm_loss_and_gradients(logits, TARGETS, MASKED)
        gradients.backward_from_logits(grad_logits, cache)
        expected = model.trace(IDS, np.where(MASKED, TARGETS, -100), attention_mask=MASK)
        assert loss == pytest.approx(expected.loss, rel=1e-14)
        assert loss == mlm_cross_entropy(logits, TARGETS, MASKED)
        for name in SHORT_NAMES:
            assert_close(gradients.gradients[name], expected.gradients[name])
            assert gradients.gradients[name].shape == model.params[name].shape

    def test_accumulate_until_zeroed(self, model):
        logits, cache = model.forward(IDS)
        gradients = MiniBERTGradients(model)
        _, grad_logits = gradients.compute_mlm_loss_and_gradients(logits, TARGETS, MASKED)
        gradients.backward_from_logits(grad_logits, cache)
        once = gradients.gradients["W1_0"].copy()
        gradients.backward_from_logits(grad_logits, cache)
        assert_close(gradients.gradients["W1_0"], 2 * once)
        gradients.zero_gradients()
        assert not gradients.gradients["W1_0"].any()

    def test_those_of_the_activations_are_the_last_backward_pass_s(self, model):
        logits, cache = model.forward(IDS, MASK)
        gradients = MiniBERTGradients(model)
        _, grad_logits = gradients.compute_mlm_loss_and_gradients(logits, TARGETS, MASKED)
        gradients.backward_from_logits(grad_logits, cache)
        once = gradients.activation_gradients
        np.testing.assert_array_equal(once["logits"], grad_logits)
        assert not once["logits"][~MASKED].any()
        gradients.backward_from_logits(3 * grad_logits, cache)
        assert_close(gradients.activation_gradients["attention_weights_0"], 3 * once["attention_weights_0"])
        assert once["attention_weights_0"].any()

    def test_a_gradient_of_another_shape(self, model):
        logits, cache = model.forward(IDS)
        with pytest.raises(
            ValueError, match=r"grad_logits: shape \(5, 512\) does not match the logits' \(2, 5, 512\)"
        ):
            MiniBERTGradients(model).backward_from_logits(logits[0], cache)


class TestMaskedLoss:
    LOGITS = np.random.default_rng(0).standard_normal((2, 5, 512))

    def test_is_the_mean_over_masked_positions(self):
        log_p = np.log(softmax(self.LOGITS))
        assert mlm_cross_entropy(self.LOGITS, TARGETS, MASKED) == pytest.approx(
            -(log_p[0, 2, 6] + log_p[1, 1, 8]) / 2
        )

    def test_minus_100_may_stand_where_nothing_is_masked(self):
        targets = np.where(MASKED, TARGETS, -100)
        assert mlm_cross_entropy(self.LOGITS, targets, MASKED) == mlm_cross_entropy(
            self.LOGITS, TARGETS, MASKED
        )

    @pytest.mark.parametrize(
        ("targets", "masked", "message"),
        [
            (np.where(MASKED, -100, TARGETS), MASKED, r"targets\[0, 2\] = -100 is outside 0..511; give"),
            (TARGETS + 600, MASKED, r"targets\[0, 2\] = 606 is outside 0..511"),
            (TARGETS * 1.0, MASKED, "targets: expected integers"),
            (TARGETS[0], MASKED, r"targets: shape \(5,\) does not match"),
            (TARGETS, MASKED[:1], r"mask_positions: shape \(1, 5\) does not match"),
            (TARGETS, np.zeros((2, 5), bool), "mask_positions: no position is masked"),
        ],
        ids=["-100 at a masked one", "beyond", "float", "targets' shape", "mask's shape", "nothing masked"],
    )
    def test_what_cannot_be_a_target(self, targets, masked, message):
        with pytest.raises(ValueError, match=message):
            mlm_cross_entropy(self.LOGITS, targets, masked)


class TestFunctions:
    """The guide's `f_backward` take what ours take, and give what its formulas say."""

    rng = np.random.default_rng(0)
    dy, x = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 3, 6))

    def test_linear_backward(self):
        W = self.rng.standard_normal((4, 6))
        dx, dW, db = linear_backward(self.dy, self.x, W)
        assert_close(dx, self.dy @ W)
        assert_close(dW, np.einsum("bto,bti->oi", self.dy, self.x))
        assert_close(db, self.dy.sum((0, 1)))

    def test_softmax_backward(self):
        p = softmax(self.x)
        dp = self.rng.standard_normal(p.shape)
        jacobian = np.eye(6) * p[..., None] - p[..., None] * p[..., None, :]
        assert_close(softmax_backward(dp, p), (jacobian @ dp[..., None])[..., 0])

    def test_layernorm_backward(self):
        gamma, beta, dy = self.rng.standard_normal((3, 6))
        x, h = self.x[0, 0], 1e-30
        _, x_hat, inv_sigma = layer_norm(x, gamma, beta)
        dx, dgamma, dbeta = layernorm_backward(dy, x_hat, inv_sigma, gamma)
        numeric = [(dy * layer_norm(x + 1j * h * e, gamma, beta)[0]).sum().imag / h for e in np.eye(6)]
        assert_close(dx, np.array(numeric))
        assert_close(dgamma, dy * x_hat)
        assert_close(dbeta, dy)


class TestGradientCheck:
    def test_passes_and_prints_a_row_per_weight(self):
        report = gradient_check(samples=2)
        assert report.passed
        assert report.worst <= 1e-9
        lines = str(report).splitlines()
        assert {line.split()[0] for line in lines[:-1]} == set(SHORT_NAMES)
        assert lines[-1].startswith("passed: ")

    def test_of_a_model_or_a_preset_by_either_method(self, model):
        assert gradient_check(model, samples=1).checks[0].shape == (512, 32)
        assert gradient_check("debug", samples=1, method="five-point").method == "five-point"

    def test_a_model_is_checked_at_its_own_weights(self):
        """All zero, they let no gradient through but to the output's bias: that proves nothing of the others."""
        report = gradient_check(MiniBERT("debug", seed=None), samples=1)
        assert not report.passed
        moved = {check.name for check in report.checks} - set(report.unmoved)
        assert {name for name in moved if not name.endswith("key.bias")} == {"head.decoder.bias"}
        told = str(report).splitlines()
        assert told[-1].startswith("FAILED: ")
        assert [line.split()[0] for line in told if "every gradient is zero" in line] == list(
            map(short, report.unmoved)
        )

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"method": "complx"}, "unknown method 'complx'; did you mean 'complex'"),
            ({"samples": 0}, "samples=0: check at least one entry of each weight"),
        ],
        ids=str,
    )
    def test_a_check_of_nothing_is_refused(self, settings, message):
        with pytest.raises(ValueError, match=message):
            gradient_check("debug", **settings)

    def test_weights_that_are_no_numbers_are_refused(self):
        model = MiniBERT("debug")
        model.params["W_Q_0"][0, 0] = np.nan
        with pytest.raises(ValueError, match=r"query\.weight: 1 of 1,024 weights are not finite"):
            gradient_check(model)


class TestFactory:
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_creates_by_name(self, dtype):
        model = ModelFactory.create_model("debug", dtype=dtype)
        assert (model.config.hidden_size, model.dtype) == (32, dtype)

    def test_the_default_is_mini_bert(self):
        assert ModelFactory.create_model().num_parameters == 4_501_184

    def test_loads_what_a_model_saved(self, model, tmp_path):
        model.save(tmp_path)
        loaded = ModelFactory.load_model(tmp_path)
        np.testing.assert_array_equal(loaded.arena.flat, model.arena.flat)

    def test_learns_a_tokenizer_or_loads_one(self, tmp_path):
        tokenizer = ModelFactory.create_tokenizer(26, texts=["the cat sat on the mat"] * 3)
        ids = tokenizer.encode("the cat")
        assert tokenizer.decode(ids, skip_special_tokens=True) == "the cat"
        tokenizer.save(tmp_path / "vocab.txt")
        loaded = ModelFactory.create_tokenizer(vocab_path=tmp_path / "vocab.txt")
        assert loaded.encode("the cat") == ids
