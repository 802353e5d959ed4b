"""Settings as people write them."""

import doctest

import pytest

from mini_bert import settings
from mini_bert.settings import assignments, merged, read_yaml
from mini_bert.training.changes import changed
from mini_bert.training.config import TrainingConfig, templates


def test_docstring_examples() -> None:
    result = doctest.testmod(settings)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("written", "value"),
    [("1e-3", 1e-3), ("-2.5E+4", -2.5e4), ("1.5", 1.5), ("3", 3), ("true", True), ("1e", "1e"), ("e5", "e5")],
)
def test_numbers_are_numbers(written: str, value: object) -> None:
    found = read_yaml(f"x: {written}", "here")["x"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("text", "message"), [("a: [", "not YAML"), ("- 1", "expected settings by name")])
def test_what_is_not_settings_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"my.yaml: {message}"):
        read_yaml(text, "my.yaml")


@pytest.mark.parametrize("written", ["seed", "=3", "  =3"])
def test_an_assignment_needs_a_name_and_a_value(written: str) -> None:
    with pytest.raises(ValueError, match="write name=value"):
        assignments([written])


def test_changes_go_into_groups() -> None:
    assert merged({"a": {"x": 1, "y": 2}, "b": 3}, {"a": {"y": 5}, "c": 4}) == {
        "a": {"x": 1, "y": 5},
        "b": 3,
        "c": 4,
    }


@pytest.mark.parametrize("name", templates())
def test_every_configuration_of_the_package_is_sound(name: str) -> None:
    config = TrainingConfig.named(name)
    assert TrainingConfig.parse(config.model_dump()) == config


def test_one_budget_takes_the_place_of_another() -> None:
    assert TrainingConfig.named("pretraining", {"budget": {"steps": 5}}).budget.steps == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["optimzer.kind=lion"], "unknown setting 'optimzer'; did you mean 'optimizer'"),
        (
            ["optimizer.learning_rat=1"],
            "optimizer: unknown setting 'learning_rat'; did you mean 'learning_rate'",
        ),
        (["optimizer.learning_rate=fast"], "optimizer.learning_rate: Input should be a valid number"),
        (["optimizer.learning_rate=-1"], "optimizer.learning_rate: Input should be greater than 0"),
        (
            ["batch.size=30"],
            "batch.size=30 is not a multiple of micro=8; choose 24, 32, or another batch.micro",
        ),
        (["budget.steps=5", "budget.tokens=7"], "budget.steps and tokens given; choose one"),
        (["budget.minutes=.inf"], "budget.minutes: Input should be a finite number"),
        (["corpus=[]"], "corpus: List should have at least 1 item"),
        (["seed=-1"], "seed: Input should be greater than or equal to 0"),
        (
            ["masking.hidden=0.8", "masking.replaced=0.3"],
            "masking.hidden=0.8 and replaced=0.3 are more than all",
        ),
        (["preset=3"], "unknown preset '3'; choose from"),
        (["schedule.kind=stairs"], "schedule.kind: Input should be 'linear'"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(changes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingConfig.named("pretraining", assignments(changes))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pretrainning", "did you mean 'pretraining'"),
        ("missing.yaml", "missing.yaml: .*; name a YAML file, or one of"),
    ],
)
def test_an_unknown_configuration(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingConfig.named(name)


def test_a_change_far_inside_is_told_by_its_whole_name() -> None:
    before, now = ({"model": {"initializer": {"kind": "normal", "std": std}}} for std in (0.02, 0.01))
    assert changed(before, now) == {"model.initializer.std": [0.02, 0.01]}
