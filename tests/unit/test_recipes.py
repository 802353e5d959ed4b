"""A preset may bring the settings of training it learns best with: whose settings go before whose."""

import pytest

from mini_bert.models.config import RECIPE, ModelConfig, presets, read_preset, recipe_of
from mini_bert.settings import merged
from mini_bert.training.config import TrainingConfig

WITH_RECIPE = [name for name in presets() if recipe_of(name)]


def test_there_are_such_presets():
    assert {"albert-mini", "bert-nano", "electra-mini", "roberta-mini"} <= set(WITH_RECIPE)


@pytest.mark.parametrize("name", WITH_RECIPE)
def test_a_recipe_is_a_training_configuration_and_no_setting_of_the_model(name):
    recipe = recipe_of(name)
    assert recipe == read_preset(name)[RECIPE]
    config = TrainingConfig.named("pretraining", {"preset": name})
    told = config.model_dump()
    assert merged(told, recipe) == told
    assert RECIPE not in ModelConfig.preset(name).model_dump()


def test_changes_go_before_the_recipe():
    changes = {"preset": "albert-mini", "optimizer": {"learning_rate": 0.5}, "budget": {"minutes": 2.0}}
    config = TrainingConfig.named("pretraining", changes)
    assert config.optimizer.learning_rate == 0.5
    assert (config.budget.steps, config.budget.minutes) == (None, 2.0)
    assert config.masking.share == recipe_of("albert-mini")["masking"]["share"]


def test_a_configuration_that_chooses_the_preset_goes_before_its_recipe(tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("preset: albert-mini\nmasking: {share: 0.2}\nbudget: {steps: 7}\n", "utf-8")
    config = TrainingConfig.named(str(file))
    assert config.masking.share == 0.2
    assert config.budget.steps == 7
    assert config.batch.size == recipe_of("albert-mini")["batch"]["size"]


def test_an_unknown_preset_is_refused_by_name():
    with pytest.raises(ValueError, match="unknown preset 'albert-min'; did you mean 'albert-mini'"):
        TrainingConfig.named("pretraining", {"preset": "albert-min"})
