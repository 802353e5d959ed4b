"""What members of the family cost, beside what a step study counts."""

import pytest

from mini_bert.cli.step_study import Study
from mini_bert.models.config import ModelConfig
from mini_bert.profiling.family_costs import MEMBERS, cost_of, trained_config


@pytest.mark.parametrize("preset", ["mini", "mini-best"])
def test_a_step_costs_what_info_tells(preset):
    config = ModelConfig.preset(preset)
    study, cost = Study(preset, config, B=8, k=10, workers=1), cost_of(preset)
    assert cost.flops_per_token == study.flops["step"] / (8 * config.max_seq_length)
    assert cost.training == sum(study.memory.values())
    assert cost.weights == study.memory["weights"]


def test_electra_is_trained_beside_its_generator():
    cost = cost_of("electra-base")
    generator = trained_config("electra-base").generator
    assert (generator.num_layers, generator.hidden_size) == (12, 256)
    assert cost.trained > cost.parameters == cost_of("electra-base").weights / 4


@pytest.mark.parametrize("preset", MEMBERS)
def test_longer_texts_take_more_memory_and_no_more_weights(preset):
    short, long = cost_of(preset, B=2, T=32), cost_of(preset, B=2, T=64)
    assert short.activations < long.activations
    assert short.parameters == long.parameters
