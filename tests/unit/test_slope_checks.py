"""Weights drawn from all parameters and moved: what is right agrees, and what is wrong is found."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from mini_bert.analysis.reading import read
from mini_bert.analysis.slope_checks import slope_checks
from mini_bert.cli import gradflow
from mini_bert.models.names import short
from tests.unit.small_zoo import small_model

TEXT = "The dog saw the [MASK]."


@pytest.fixture
def reading(tokenizer):
    return read(small_model(tokenizer), TEXT, target="cat")


@pytest.fixture
def folder(tokenizer, tmp_path):
    small_model(tokenizer).save(tmp_path)
    tokenizer.save(tmp_path)
    return tmp_path


def test_entries_of_all_parameters_agree(reading):
    found = slope_checks(reading, 60)
    assert found.agree
    assert found.worst.difference < 1e-4
    assert {one.name for one in found.checks} == set(map(short, reading.exact.passed.gradients.arrays))
    assert len(found.clear) >= 30
    assert {one.name for one in found.checks if one.is_faint} <= {"b_K_0", "b_K_1"}


def test_an_entry_that_does_not_matter_is_checked_and_another_one_too(reading):
    found = slope_checks(reading, 1, seed=1).checks
    assert [one.name for one in found] == ["token_embeddings"] * 2
    assert found[0].is_zero
    assert abs(found[1].value) > 0


def test_a_wrong_gradient_is_found(reading):
    gradients = reading.exact.passed.gradients
    gradients["W1_0"][...] *= 1.001
    found = slope_checks(reading, 60)
    assert not found.agree
    assert {one.name for one in found.checks if not one.agrees} == {"W1_0"}
    assert found.worst.name == "W1_0"
    assert found.worst.difference == pytest.approx(1e-3, rel=1e-2)


def test_a_gradient_that_is_left_out_is_found(reading):
    reading.exact.passed.gradients["W_V_1"][...] = 0
    wrong = [one for one in slope_checks(reading, 60).checks if not one.agrees]
    assert {one.name for one in wrong} == {"W_V_1"}


def test_weights_are_back_in_their_places(reading):
    before = {name: np.array(one) for name, one in reading.exact.passed.trace.params.items()}
    slope_checks(reading, 40)
    for name, one in reading.exact.passed.trace.params.items():
        np.testing.assert_array_equal(one, before[name])


class TestCommand:
    def test_tells_how_well_they_agree(self, folder):
        asked = [TEXT, "--target", "cat", "--model", str(folder), "--check", "30"]
        result = CliRunner().invoke(gradflow.command, asked, env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.output
        assert "✓ agree" in result.stdout
        told = json.loads(CliRunner().invoke(gradflow.command, [*asked, "--json"]).stdout)["check"]
        assert told["agree"]
        assert told["entries"] == len(told["checks"]) >= 30
        assert told["worst"] < 1e-4

    def test_says_by_its_exit_code_that_one_is_wrong(self, folder, monkeypatch):
        right = gradflow.slope_checks

        def wrong(reading, *given, **more):
            reading.exact.passed.gradients["b1_0"][...] += 1
            return right(reading, *given, **more)

        monkeypatch.setattr(gradflow, "slope_checks", wrong)
        asked = [TEXT, "--target", "cat", "--model", str(folder), "--check", "30"]
        result = CliRunner().invoke(gradflow.command, asked, env={"COLUMNS": "120"})
        assert result.exit_code == 1
        assert "✗ differ" in result.stdout

    def test_needs_one_loss(self, folder):
        with pytest.raises(ValueError, match="of one loss only"):
            CliRunner().invoke(
                gradflow.command,
                ["The dog saw the cat.", "--model", str(folder), "--check", "3"],
                catch_exceptions=False,
            )
