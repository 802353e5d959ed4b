"""Configurations are checked before anything is built, and say what to do instead."""

from importlib.resources import files

import pytest

from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.mini import MiniBERT
from mini_bert.models.zoo import MEMBERS
from mini_bert.settings import read_yaml


def parse_named(**settings):
    return ModelConfig.parse(settings)


def test_the_default_is_the_guide_s_mini_bert():
    config = ModelConfig.preset()
    assert config == ModelConfig() == MiniBERT().config
    sizes = config.num_layers, config.hidden_size, config.num_heads, config.intermediate_size
    assert sizes == (3, 192, 4, 768)
    assert (config.max_seq_length, config.vocab_size, config.head_size) == (64, 8192, 48)


@pytest.mark.parametrize(
    ("preset", "sizes"),
    [
        ("debug", (2, 32, 4, 64, 32, 512)),
        ("small", (2, 96, 4, 384, 64, 4096)),
        ("mini", (3, 192, 4, 768, 64, 8192)),
        ("large", (6, 384, 6, 1536, 128, 8192)),
        ("bert-base", (12, 768, 12, 3072, 512, 30522)),
    ],
)
def test_presets_have_the_sizes_of_the_issue(preset, sizes):
    c = ModelConfig.preset(preset)
    found = c.num_layers, c.hidden_size, c.num_heads, c.intermediate_size, c.max_seq_length, c.vocab_size
    assert found == sizes


def test_modern_has_the_parts_of_recent_encoders():
    c = ModelConfig.preset("modern")
    assert (c.residual, c.feed_forward, c.activation, c.positions) == ("pre-norm", "gated", "gelu", "rotary")
    assert c.tied
    assert not c.bias


def test_every_preset_is_listed():
    assert presets() == sorted(presets())
    assert {"bert-base", "debug", "large", "mini", "modern", "small"} <= set(presets())
    assert {ModelConfig.preset(preset).family for preset in presets()} >= set(MEMBERS)


@pytest.mark.parametrize("preset", presets())
def test_a_preset_states_only_what_differs(preset):
    """Each of its settings is another than that of its member of the family."""
    text = files("mini_bert").joinpath("configs", "model", f"{preset}.yaml").read_text("utf-8")
    assert text.startswith("# ")
    told = read_yaml(text, preset)
    told.pop("training", None)
    plain = MEMBERS[told.pop("family", "mini")].build().model_dump()
    assert preset in ("debug", "small") or not [name for name in told if plain[name] == told[name]]


def test_a_preset_can_be_changed_and_is_checked_again():
    assert ModelConfig.preset("debug", num_layers=5).changed(dropout=0.1).num_layers == 5
    with pytest.raises(ValueError, match="not divisible"):
        ModelConfig.preset("debug").changed(num_heads=5)


def test_a_configuration_is_plain_data_and_back():
    config = ModelConfig.preset("bert-base")
    assert ModelConfig.parse(config.model_dump()) == config


def test_a_configuration_is_frozen():
    with pytest.raises(ValueError, match="frozen"):
        ModelConfig().hidden_size = 8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_heads": 5}, r"H=192 is not divisible by A=5; choose num_heads from 2, 3, 4, 6"),
        ({"hidden_size": 12, "positions": "rotary"}, r"12/4 = 3 is odd; choose num_heads"),
        ({"hidden_size": 9, "num_heads": 3, "positions": "transformer-xl"}, r"hidden_size=9: .* even"),
        ({"memory": 8}, r"memory=8 needs positions .*; choose positions from transformer-xl, rotary"),
        ({"streams": 2, "positions": "after-padding"}, r"streams=2 needs positions .* \(got after-padding\)"),
        ({"layer_groups": 4}, r"layer_groups=4 exceeds num_layers=3; choose 1 .* to 3"),
        ({"hiden_size": 8}, r"unknown setting 'hiden_size'; did you mean 'hidden_size'\?"),
        ({"xyzzy": 8}, r"unknown setting 'xyzzy'; choose from family, vocab_size, hidden_size"),
        ({"hidden_size": "192"}, r"hidden_size: .*integer \(got '192'\)"),
        ({"hidden_size": 192.0}, r"hidden_size: .*integer \(got 192.0\)"),
        ({"hidden_size": 0}, r"hidden_size: .*greater than or equal to 1 \(got 0\)"),
        ({"num_layers": True}, r"num_layers: .*integer \(got True\)"),
        ({"dropout": 1.0}, r"dropout: .*less than 1 \(got 1.0\)"),
        ({"norm_eps": 0.0}, r"norm_eps: .*greater than 0"),
        ({"norm_eps": float("nan")}, r"norm_eps: .*greater than 0"),
        ({"activation": "gelou"}, r"activation: .*'relu', 'gelu'.* \(got 'gelou'\)"),
        ({"initializer": {"kid": "he"}}, r"unknown setting 'kid'; did you mean 'kind'\?"),
        ({"initializer": {"kind": "hee"}}, r"kind: .*'he' or 'depth-scaled' \(got 'hee'\)"),
        ({"initializer": {"std": -1.0}}, r"std: .*greater than 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "make", [ModelConfig, ModelConfig().changed, parse_named], ids=["new", "changed", "parsed"]
)
def test_what_does_not_fit_is_refused_with_a_remedy(make, settings, message):
    with pytest.raises(ValueError, match=message):
        make(**settings)


def test_every_fault_is_named_at_once():
    with pytest.raises(ValueError, match=r"(?s)hidden_size.*dropout"):
        ModelConfig(hidden_size=0, dropout=2.0)


@pytest.mark.parametrize("make", [ModelConfig.preset, MiniBERT])
@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("mnii", "did you mean 'mini'?"),
        ("bert-bse", "did you mean 'bert-base'?"),
        ("q", "choose from albert-base, albert-large"),
    ],
)
def test_an_unknown_preset_suggests_the_nearest(make, name, remedy):
    with pytest.raises(ValueError, match="unknown preset") as caught:
        make(name)
    assert remedy in str(caught.value)
