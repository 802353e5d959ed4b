"""What an XLNet folder may say, and what is refused because we have no such part."""

import pytest

from mini_bert.models.huggingface.settings import read_config
from mini_bert.models.huggingface.xlnet import XLNET

PUBLISHED = {
    "attn_type": "bi",
    "bi_data": False,
    "clamp_len": -1,
    "d_head": 64,
    "d_inner": 3072,
    "d_model": 768,
    "dropout": 0.1,
    "ff_activation": "gelu",
    "layer_norm_eps": 1e-12,
    "mem_len": None,
    "n_head": 12,
    "n_layer": 12,
    "reuse_len": None,
    "same_length": False,
    "summary_activation": "tanh",
    "summary_type": "last",
    "summary_use_proj": True,
    "untie_r": True,
    "vocab_size": 32000,
}
"""As in the folder of the published base model."""


def read(**settings):
    return read_config(XLNET, "XLNetLMHeadModel", PUBLISHED | settings)


def test_the_published_base_model_is_ours():
    config = read()
    assert config == XLNET.build()
    assert (config.streams, config.segments, config.memory, config.second_head) == (2, "relative", 0, "none")


def test_memory_and_activation_are_read():
    config = read(mem_len=384, ff_activation="relu")
    assert (config.memory, config.activation) == (384, "relu")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("attn_type", "uni"),
        ("untie_r", False),
        ("bi_data", True),
        ("clamp_len", 400),
        ("same_length", True),
        ("reuse_len", 256),
        ("summary_type", "mean"),
    ],
)
def test_what_we_have_no_part_for_is_refused(setting, value):
    with pytest.raises(ValueError, match=f"{setting}={value!r} is not among what we have"):
        read(**{setting: value})
