"""Bad input is refused at the front door, with what, where and the remedy."""

import numpy as np
import pytest

from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

GOOD = [[5, 6, 7], [8, 9, 10]]


@pytest.fixture(scope="module")
def model():
    return MiniBERT("debug")


@pytest.fixture(scope="module")
def model_with_segments():
    return MiniBERT(ModelConfig.preset("debug", token_types=2))


def test_one_sequence_is_a_batch_of_one(model):
    np.testing.assert_array_equal(model.forward([5, 6, 7])[0], model.forward([[5, 6, 7]])[0])
    np.testing.assert_array_equal(
        model.forward([5, 6], [1, 0])[0], model.forward([[5, 6]], [[True, False]])[0]
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_ids_of_any_integer_type(model, dtype):
    np.testing.assert_array_equal(model.forward(np.array(GOOD, dtype))[0], model.forward(GOOD)[0])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([[5, 512]], r"ids\[0, 1\] = 512 is outside 0..511; is this the tokenizer"),
        ([[5, 6], [-1, 6]], r"ids\[1, 0\] = -1 is outside 0..511"),
        ([[5.0, 6.0]], r"ids: expected integers, got float64; .*encode\(\)"),
        ([["the", "cat"]], r"ids: expected integers, got <U3; .*encode\(\)"),
        ("the cat", r"ids: expected integers, got <U7; .*encode\(\)"),
        (None, r"ids: expected integers, got object; .*encode\(\)"),
        ([[True, False]], r"ids: expected integers, got bool"),
        ([[2**70]], r"ids: expected integers, got object"),
        ([[5] * 33], r"ids: 33 tokens, .* at most max_seq_length=32; cut the text"),
        ([], r"ids: the batch is empty, shape \(1, 0\); give at least one sequence"),
        (np.zeros((0, 5), int), r"ids: the batch is empty, shape \(0, 5\); give at least"),
        ([[5, 6], [7]], r"ids: the rows have different lengths; fill them up with \[PAD\]"),
        (5, r"ids: expected \(batch, tokens\), got 0 axes"),
        ([[[5]]], r"ids: expected \(batch, tokens\), got 3 axes of shape \(1, 1, 1\)"),
    ],
    ids=str,
)
def test_bad_ids(model, ids, message):
    with pytest.raises(ValueError, match=message):
        model.forward(ids)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ([[1, 1, 1]], r"attention_mask: shape \(1, 3\) does not match ids, \(2, 3\)"),
        ([[1, 1, 1], [1, 1, 2]], r"attention_mask: only 1 \(a real token\) and 0 \(padding\)"),
        ([[0, 0, -1e9], [0, 0, 0]], r"attention_mask: only 1 \(a real token\) and 0 \(padding\)"),
        ([[1, 1, 1], [1]], r"attention_mask: the rows have different lengths"),
    ],
    ids=str,
)
def test_bad_attention_mask(model, mask, message):
    with pytest.raises(ValueError, match=message):
        model.forward(GOOD, mask)


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ([[0, 0, 0], [0, 1, 2]], r"token_type_ids\[1, 2\] = 2 is outside 0..1; the model has no more"),
        ([[0, 0, 0]], r"token_type_ids: shape \(1, 3\) does not match ids"),
        ([[0, 0, 0.5], [0, 0, 0]], r"token_type_ids: expected integers"),
    ],
    ids=str,
)
def test_bad_token_types(model_with_segments, types, message):
    with pytest.raises(ValueError, match=message):
        model_with_segments.forward(GOOD, token_type_ids=types)


def test_token_types_for_a_model_that_has_none(model):
    with pytest.raises(ValueError, match="token_type_ids: this model has no segments; leave them out or set"):
        model.forward(GOOD, token_type_ids=np.zeros((2, 3), int))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[5, 6, 512], [5, 6, 7]], r"labels\[0, 2\] = 512 is outside 0..511; write -100 where nothing"),
        ([[5, 6, -1], [5, 6, 7]], r"labels\[0, 2\] = -1 is outside 0..511; write -100"),
        ([[5, 6, 7]], r"labels: shape \(1, 3\) does not match what is predicted, \(2, 3\)"),
    ],
    ids=str,
)
def test_bad_labels(model, labels, message):
    with pytest.raises(ValueError, match=message):
        model.trace(GOOD, labels)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_numbers(value):
    model = MiniBERT("debug")
    model.params["W_K_1"][3, 4] = value
    with pytest.raises(
        ValueError, match=r"layers.1.attn.key.weight: 1 of 1,024 weights .* \[4, 3\]; load an earlier"
    ):
        model.forward(GOOD)


def test_large_weights_are_weights_nevertheless():
    """Their squares overflow float32; the norms bring the token back to size."""
    model = MiniBERT("debug")
    model.token_embeddings[0] = 1e19
    assert np.isfinite(model.forward(GOOD)[0]).all()


@pytest.mark.parametrize("dtype", ["float16", "int64", "complex128", "banana"])
def test_dtypes_other_than_two(dtype):
    with pytest.raises(ValueError, match=f"dtype .*{dtype}.*choose float32 or float64"):
        MiniBERT("debug", dtype=dtype)


@pytest.mark.parametrize("layer", [-1, 2])
def test_layers_that_are_not_there(model, layer):
    with pytest.raises(ValueError, match=rf"layer {layer}: the model has layers 0 to 1"):
        model.multi_head_attention(np.zeros((1, 2, 32)), layer)


@pytest.mark.parametrize("shape", [(2, 32), (1, 2, 31), (0, 2, 32)], ids=str)
def test_states_of_another_shape(model, shape):
    with pytest.raises(ValueError, match=r"x: expected \(batch, tokens, hidden_size=32\), got"):
        model.multi_head_attention(np.zeros(shape))
