"""One pass, seen from inside: activations, losses and gradients by name."""

import numpy as np
import pytest

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT
from mini_bert.models.passes import fingerprint
from tests.tolerances import assert_close

IDS = [[5, 6, 7, 8], [9, 10, 11, 0]]
MASK = [[1, 1, 1, 1], [1, 1, 1, 0]]


@pytest.fixture(scope="module")
def model():
    return MiniBERT("debug", dtype=np.float64)


def test_activations_by_dotted_or_short_name(model):
    seen = model.trace(IDS)
    assert seen["attention_weights_0"] is seen["encoder.layers.0.attn.probs"]
    assert seen["logits"] is seen.logits
    assert seen["attention_weights_1"].shape == (2, 4, 4, 4)
    assert_close(seen["attention_weights_1"].sum(-1), np.ones((2, 4, 4)))


def test_the_names_it_announces_are_the_names_it_has(model):
    assert model.activation_names == list(model.trace(IDS).arrays)


def test_only_what_is_watched_is_remembered(model):
    seen = model.trace(IDS, watch=["attention_weights_0", "encoder.layers.[01].out"])
    assert set(seen) == {"attention_weights_0", "layer_output_0", "layer_output_1"}
    assert set(seen.activation_gradients) == set(seen)
    assert set(model.trace(IDS, watch="logits")) == {"logits"}
    assert set(model.trace(IDS, watch="Q_*")) == {"Q_0", "Q_1"}
    assert not list(model.trace(IDS, watch=()))


def test_watching_changes_nothing(model):
    everything, nothing = model.trace(IDS), model.trace(IDS, watch=())
    np.testing.assert_array_equal(everything.logits, nothing.logits)
    np.testing.assert_array_equal(everything.gradients["W_Q_0"], nothing.gradients["W_Q_0"])


@pytest.mark.parametrize("name", ["attention_weights_0", "encoder.layers.0.attn.probs"])
def test_a_hook_ablates_a_head(model, name):
    def silence(probs):
        probs[:, 2] = 0
        return probs

    seen = model.trace(IDS, hooks={name: silence})
    assert not seen["attention_weights_0"][:, 2].any()
    assert not seen["context_0"][..., 16:24].any()
    assert seen["context_0"][..., :16].all()
    assert (seen.logits != model.trace(IDS).logits).any()


@pytest.mark.parametrize("pattern", ["attention_weights_*", "encoder.layers.*.attn.probs"])
def test_a_hook_s_name_may_be_a_pattern(model, pattern):
    seen = model.trace(IDS, hooks={pattern: np.zeros_like})
    for layer in range(model.config.num_layers):
        assert not seen[f"attention_weights_{layer}"].any()
        assert not seen[f"context_{layer}"].any()


@pytest.mark.parametrize("name", ["encoder.layers.1.attn.softmax", "final_norm.x_hat", "*.activation.y"])
def test_what_only_the_backward_pass_reads_cannot_be_hooked(model, name):
    with pytest.raises(ValueError, match="only the backward pass reads it; hook the activation it is made"):
        model.trace(IDS, hooks={name: lambda value: value})


def test_patching_a_layer_s_output_makes_what_follows_that_of_the_other_text(model):
    other = model.trace([[12, 13, 14, 15], [16, 17, 18, 19]])
    patched = model.trace(IDS, hooks={"layer_output_1": lambda _: other["layer_output_1"]})
    np.testing.assert_array_equal(patched.logits, other.logits)


def test_a_hook_in_a_float32_model_keeps_float32():
    seen = MiniBERT("debug").trace(IDS, hooks={"context_0": lambda context: np.zeros(context.shape)})
    assert seen.logits.dtype == seen.gradients["W_Q_0"].dtype == np.float32


@pytest.mark.parametrize("where", ["watch", "hooks"])
@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("attention_weight_0", "did you mean 'attention_weights_0'"),
        ("encoder.layers.0.attn.prob", "did you mean 'encoder.layers.0.attn.probs'"),
        ("attention_weights_7", "did you mean"),
        ("W_Q_0", "unknown activation"),
    ],
)
def test_an_unknown_activation_suggests_the_nearest(model, where, name, remedy):
    with pytest.raises(ValueError, match="unknown activation") as caught:
        model.trace(IDS, **{where: {name: lambda x: x}})
    assert remedy in str(caught.value)


def test_without_labels_every_real_token_predicts_itself(model):
    labels = np.where(MASK, IDS, -100)
    with_labels = model.trace(IDS, labels, attention_mask=MASK)
    assert model.trace(IDS, attention_mask=MASK).loss == with_labels.loss


def test_labels_that_predict_nothing_are_refused(model):
    with pytest.raises(ValueError, match="labels: all are -100, so there is nothing to predict"):
        model.trace(IDS, np.full((2, 4), -100))


def test_a_batch_of_padding_has_a_loss_of_zero(model):
    seen = model.trace(IDS, attention_mask=np.zeros((2, 4)))
    assert seen.loss == 0
    assert not seen.gradients["W_Q_0"].any()


def test_arrays_are_read_only_for_the_backward_pass_needs_them(model):
    seen = model.trace(IDS)
    with pytest.raises(ValueError, match="read-only"):
        seen["context_0"][...] = 0
    with pytest.raises(ValueError, match="read-only"):
        seen.logits[...] = 0


def test_a_backward_pass_with_other_weights_is_refused():
    model = MiniBERT("debug")
    seen = model.trace(IDS)
    model.params["W_Q_0"] *= 2
    with pytest.raises(ValueError, match="the weights have changed since this forward pass; run it again"):
        _ = seen.gradients


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "change",
    [
        lambda w: np.negative(w, out=w),
        lambda w: np.negative(w[:2, 0], out=w[:2, 0]),
        lambda w: w.__setitem__(slice(None), w[::-1].copy()),
        lambda w: w.__setitem__([3, 40], w[[40, 3]]),
        lambda w: w.__setitem__((1, [0, 1]), w[1, [1, 0]]),
        lambda w: w.__setitem__((1, 2), np.nextafter(w[1, 2], w.dtype.type(1))),
    ],
    ids=["negated", "two negated", "upside down", "rows swapped", "entries swapped", "one last bit"],
)
def test_no_change_of_the_weights_goes_unseen(dtype, change):
    model = MiniBERT("debug", dtype=dtype)
    before = fingerprint(model.arena)
    assert fingerprint(model.arena.copy(dtype)) == before
    change(model.arena["embeddings.token.weight"])
    assert fingerprint(model.arena) != before


def test_gradients_are_oriented_like_the_weights(model):
    seen = model.trace(IDS)
    assert {n: g.shape for n, g in seen.gradients.items()} == {n: w.shape for n, w in model.params.items()}
    assert seen.gradients["W1_0"].shape == (32, 64)
    assert seen.gradients["encoder.layers.0.ffn.up.weight"].shape == (64, 32)


def test_a_step_against_the_gradient_lowers_the_loss():
    model = MiniBERT("debug", dtype=np.float64)
    seen = model.trace(IDS)
    for name, grad in seen.gradients.items():
        model.params[name][...] -= 0.01 * grad
    assert model.trace(IDS).loss < seen.loss


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_is_one_argument(dtype):
    seen = MiniBERT("debug", dtype=dtype).trace(IDS, attention_mask=MASK)
    arrays = [*seen.values(), *seen.gradients.values(), *seen.activation_gradients.values()]
    assert {array.dtype for array in arrays if np.issubdtype(array.dtype, np.inexact)} == {np.dtype(dtype)}


def test_token_types_matter_and_are_0_by_default():
    model = MiniBERT(ModelConfig.preset("debug", token_types=2))
    plain, _ = model.forward(IDS)
    zeros, _ = model.forward(IDS, token_type_ids=np.zeros((2, 4), int))
    ones, _ = model.forward(IDS, token_type_ids=np.ones((2, 4), int))
    np.testing.assert_array_equal(plain, zeros)
    assert (plain != ones).any()


def test_seeds_make_models():
    one, same, other = MiniBERT("debug", seed=1), MiniBERT("debug", seed=1), MiniBERT("debug", seed=2)
    np.testing.assert_array_equal(one.arena.flat, same.arena.flat)
    assert (one.arena.flat != other.arena.flat).any()
