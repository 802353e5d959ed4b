"""Two models side by side: exactly what was exchanged is told, and where."""

from dataclasses import replace

import numpy as np
import pytest

from mini_bert.core.layers import GELU
from mini_bert.models.build import build_network
from mini_bert.models.comparison import (
    NOTHING,
    Change,
    Distance,
    part_changes,
    setting_changes,
    weight_distances,
)
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT

DEBUG = ModelConfig.preset("debug")


def changes(**settings):
    return part_changes(build_network(DEBUG), build_network(DEBUG.changed(**settings)))


def test_equal_models_do_not_differ():
    assert setting_changes(DEBUG, DEBUG) == {}
    assert changes() == []


def test_settings_that_differ_come_with_both_values():
    other = DEBUG.changed(causal=True, norm_eps=1e-5)
    assert setting_changes(DEBUG, other) == {"causal": (False, True), "norm_eps": (1e-12, 1e-5)}


def test_terms_are_told_together():
    [change] = changes(causal=True)
    places = ("encoder.layers.*.attn.terms",)
    assert change == Change(places, "Content, Padding", "Content, Padding, Causal", of_size=False)


def test_a_part_that_is_exchanged_is_told_once_with_all_its_places():
    assert changes(residual="pre-norm") == [
        Change(("encoder.layers.*.attn", "encoder.layers.*.ffn"), "PostNorm", "PreNorm", of_size=False)
    ]


def test_a_part_that_only_one_has():
    [change] = changes(final_norm=False)
    assert change == Change(("final_norm",), f"LayerNorm({DEBUG.hidden_size})", NOTHING, of_size=False)
    [change] = changes(second_head="pairs")
    assert (change.places, change.before) == (("second_head",), NOTHING)


def test_a_richer_part_in_place_of_a_plain_one_and_what_it_has_more():
    kinds = {(change.before, change.after) for change in changes(attention="gated")}
    H = DEBUG.hidden_size
    assert kinds == {("Attention(4)", "GatedAttention(4)"), (NOTHING, f"Linear({H}, {H})")}


def test_a_part_around_another_is_told_and_what_is_inside_is_compared():
    found = changes(tied=True, bias=True, decoder_bias=False)
    assert [change.places for change in found if "Tied" in change.after] == [("head.decoder",)]


def test_sizes_are_told_apart_from_kinds():
    found = changes(intermediate_size=96)
    assert found
    assert all(change.of_size for change in found)
    assert {change.places for change in found} == {
        ("encoder.layers.*.ffn.up",),
        ("encoder.layers.*.ffn.down",),
    }


def test_shared_layers():
    [change] = changes(layer_groups=1)
    assert change == Change(("encoder.layers",), "2 × EncoderLayer", "1 × EncoderLayer", of_size=False)


def test_layers_that_differ_among_themselves_are_numbered():
    network = build_network(DEBUG)
    first, second = network.encoder.layers
    ffn = replace(second.ffn, body=replace(second.ffn.body, activation=GELU()))
    other = replace(network, encoder=replace(network.encoder, layers=(first, replace(second, ffn=ffn))))
    [change] = part_changes(network, other)
    assert change == Change(("encoder.layers.1.ffn.activation",), "ReLU", "GELU", of_size=False)


def test_how_far_weights_are_apart():
    a, b = MiniBERT("debug", seed=1), MiniBERT("debug", seed=1)
    same = weight_distances(a.arena, b.arena)
    assert same.keys() == a.arena.keys()
    assert all(one.relative == 0 and one.cosine == pytest.approx(1) for one in same.values())
    b.params["W1_0"][...] *= -2
    found = weight_distances(a.arena, b.arena)
    assert found["encoder.layers.0.ffn.up.weight"].relative == pytest.approx(3)
    assert found["encoder.layers.0.ffn.up.weight"].cosine == pytest.approx(-1)
    assert sum(one.relative > 0 for one in found.values()) == 1


def test_only_weights_of_one_shape_are_compared():
    a, b = (
        {"x": np.ones(3), "y": np.ones(2), "z": np.zeros(2)},
        {"x": np.ones(4), "y": np.ones(2), "z": np.ones(2)},
    )
    assert weight_distances(a, b) == {
        "y": Distance(0.0, pytest.approx(1.0)),
        "z": Distance(float("inf"), 0.0),
    }
