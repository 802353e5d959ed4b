"""A setting that config.json does not tell is what transformers takes it to be."""

from __future__ import annotations

import pytest
from transformers import CONFIG_MAPPING

from mini_bert.models.config import ModelConfig
from mini_bert.models.huggingface.families import FAMILIES
from mini_bert.models.huggingface.family import Family, Settings
from mini_bert.models.huggingface.settings import read_config


@pytest.mark.parametrize("model_type", FAMILIES)
def test_untold_settings(model_type: str) -> None:
    family, theirs = FAMILIES[model_type], CONFIG_MAPPING[model_type]().to_dict()
    assert outcome(family, {}) == outcome(family, theirs)


def outcome(family: Family, described: Settings) -> ModelConfig | str:
    """The configuration, or why there is none."""
    try:
        return read_config(family, next(iter(family.architectures)), described)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("model_type", FAMILIES)
def test_every_setting_is_one_of_theirs(model_type: str) -> None:
    family, theirs = FAMILIES[model_type], CONFIG_MAPPING[model_type]().to_dict()
    ours_alone = {"max_seq_length"} if model_type == "xlnet" else set()
    assert {setting.theirs for setting in family.settings} - ours_alone <= theirs.keys()
