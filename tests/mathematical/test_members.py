"""Every member of the family, by complex step: every entry when tiny, some of each weight at debug size."""

import pytest

from mini_bert.models.config import ModelConfig, presets
from mini_bert.models.zoo import MEMBERS
from mini_bert.training.verification import verify_gradients
from tests.mathematical.promises import SIZES

DEBUG = ModelConfig.preset("debug")
DEBUG_SIZES = {name: getattr(DEBUG, name) for name in SIZES}
GENERATOR = {"hidden_size": 4, "num_layers": 1, "num_heads": 2, "intermediate_size": 6}
OWN = {
    "albert": {"embedding_size": 6},
    "electra": {"embedding_size": 6, "generator": GENERATOR},
    "deberta": {"mask_decoder": "enhanced", "reach": 3},
    "transformer-xl": {"memory": 0},
}
"""What a member must have to be all it is; a memory is a constant to gradients, and tested apart."""


@pytest.mark.parametrize("name", MEMBERS)
def test_every_entry_of_a_tiny_one(name):
    report = verify_gradients(MEMBERS[name].build(**SIZES, **OWN.get(name, {})))
    assert report.passed, report


@pytest.mark.parametrize("name", MEMBERS)
def test_some_entries_at_debug_size(name):
    report = verify_gradients(MEMBERS[name].build(**DEBUG_SIZES, **OWN.get(name, {})), samples=6)
    assert report.passed, report


@pytest.mark.parametrize(
    "name", [name for name in presets() if name.endswith("-mini") and name != "bert-mini"]
)
def test_presets_to_train(name):
    report = verify_gradients(ModelConfig.preset(name, **SIZES | {"num_heads": 2}), samples=4)
    assert report.passed, report
