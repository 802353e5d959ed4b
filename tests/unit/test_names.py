"""The one table of names: dotted, short, HuggingFace."""

import numpy as np
import pytest

from mini_bert.models.build import build_network
from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.mini import MiniBERT
from mini_bert.models.names import ACTIVATIONS, TABLE, as_short, dotted, rows, short, translate
from tests.tolerances import assert_close

SEEN_BY_HUGGINGFACE = ModelConfig.preset(
    "bert-base", tied=False
)  # its decoder is tied, and named nevertheless


@pytest.fixture
def model():
    return MiniBERT("debug", dtype=np.float64)


def weight_names(config):
    return list(build_network(config).all_weights())


@pytest.mark.parametrize("preset", presets())
def test_every_weight_of_every_preset_has_a_short_name_of_its_own(preset):
    names = weight_names(ModelConfig.preset(preset))
    shorts = [translate(name, "dotted", "short") for name in names]
    assert None not in shorts
    assert len(set(shorts)) == len(names)
    assert [dotted(name) for name in shorts] == names


def test_every_weight_of_bert_has_a_huggingface_name_and_back():
    names = weight_names(SEEN_BY_HUGGINGFACE)
    theirs = [translate(name, "dotted", "huggingface") for name in names]
    assert None not in theirs
    assert len(set(theirs)) == len(names)
    assert [translate(name, "huggingface", "dotted") for name in theirs] == names


def test_every_activation_in_the_table_exists(model):
    named = {row.dotted.replace("{i}", "0") for row in rows(ACTIVATIONS)}
    assert named <= set(model.activation_names)


@pytest.mark.parametrize("column", ["dotted", "short", "latex", "huggingface"])
def test_no_two_rows_share_a_name(column):
    found = [getattr(row, column) for row in TABLE if getattr(row, column)]
    assert len(set(found)) == len(found)


def test_a_name_means_one_thing():
    assert not {row.short for row in TABLE} & {row.dotted for row in TABLE}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.short)
def test_layer_numbers_stand_in_every_column_or_none(row):
    columns = [row.dotted, row.short, row.latex, row.huggingface or row.dotted]
    assert len({"{i}" in column for column in columns}) == 1


@pytest.mark.parametrize(
    ("name", "source", "target", "expected"),
    [
        ("W_Q_0", "short", "dotted", "encoder.layers.0.attn.query.weight"),
        ("b2_11", "short", "huggingface", "bert.encoder.layer.11.output.dense.bias"),
        ("encoder.layers.3.attn.probs", "dotted", "short", "attention_weights_3"),
        ("encoder.layers.3.attn.probs", "dotted", "latex", "A^{(3)}"),
        ("W_G_0", "short", "huggingface", None),
        ("W_Q", "short", "dotted", None),
        ("W_Q_x", "short", "dotted", None),
        ("encoderXlayers.0.attn.q", "dotted", "short", None),
    ],
)
def test_translate(name, source, target, expected):
    assert translate(name, source, target) == expected


def test_names_without_another_form_stay():
    assert dotted("encoder.layers.0.attn.query.weight") == "encoder.layers.0.attn.query.weight"
    assert short("encoder.layers.0.attn.query.x") == "encoder.layers.0.attn.query.x"


def test_weights_under_short_names_are_views_in_the_guide_s_orientation(model):
    W, stored = model.params["W1_0"], model.params["encoder.layers.0.ffn.up.weight"]
    assert (W.shape, stored.shape) == ((32, 64), (64, 32))
    W[0, 1] = 5
    assert stored[1, 0] == model.arena["encoder.layers.0.ffn.up.weight"][1, 0] == 5
    assert np.shares_memory(W, model.arena.flat)


def test_writing_under_a_short_name_changes_the_model(model):
    before, _ = model.forward([[5, 6, 7]])
    model.params["W_Q_0"][0, 1] = 5
    after, _ = model.forward([[5, 6, 7]])
    assert (before != after).any()


def heads_side_by_side(x):
    B, A, T, D = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, T, A * D)


@pytest.mark.parametrize(
    ("x", "W", "b", "y"),
    [
        ("embeddings", "W_Q_0", "b_Q_0", "Q_0"),
        ("layer_output_0", "W_K_1", "b_K_1", "K_1"),
        ("layer_output_0", "W_V_1", "b_V_1", "V_1"),
        ("context_0", "W_O_0", "b_O_0", "attention_output_0"),
        ("norm1_0", "W1_0", "b1_0", "ffn_pre_0"),
        ("ffn_hidden_1", "W2_1", "b2_1", "ffn_output_1"),
        ("hidden_states", "W_mlm", "b_mlm", "logits"),
    ],
)
def test_x_at_W_plus_b_holds_as_written(model, x, W, b, y):
    model.arena.flat[:] = np.random.default_rng(0).standard_normal(model.arena.flat.size)
    _, cache = model.forward([[5, 6, 7], [8, 9, 10]])
    found = heads_side_by_side(cache[y]) if cache[y].ndim == 4 else cache[y]
    assert_close(cache[x] @ model.params[W] + model.params[b], found)


def test_the_mapping_goes_by_short_names_and_knows_both(model):
    assert list(model.params) == [short(name) for name in model.arena]
    assert len(model.params) == len(model.arena)
    assert all(name in model.params for name in [*model.params, *model.arena])
    assert "W_Q_7" not in model.params


@pytest.mark.parametrize(
    ("name", "suggestion"), [("gama_f", "gamma_f"), ("token_embedings", "token_embeddings")]
)
def test_an_unknown_name_suggests_the_nearest(model, name, suggestion):
    with pytest.raises(KeyError, match=f"unknown name '{name}'; did you mean '{suggestion}'"):
        model.params[name]


def test_a_step_of_gradient_descent_is_written_as_one_would():
    model = MiniBERT("debug")
    before, step = model.params["W1_0"].copy(), np.ones((32, 64), np.float32)
    model.params["W1_0"] -= step
    np.testing.assert_array_equal(model.arena["encoder.layers.0.ffn.up.weight"], (before - step).T)


def test_writing_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"W1_0: shape \(64, 32\) does not match \(32, 64\)"):
        MiniBERT("debug").params["W1_0"] = np.ones((64, 32))


def test_a_shape_is_seen_as_the_short_name_sees_it():
    assert as_short("encoder.layers.0.ffn.up.weight", (64, 32)) == (32, 64)
    assert as_short("embeddings.token.weight", (512, 32)) == (512, 32)
    assert as_short("encoder.layers.0.attn.query.bias", (7,)) == (7,)
