"""`mini-bert profile` and `mini-bert estimate` on small models."""

import json
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from mini_bert.cli.estimate import command as estimate
from mini_bert.cli.profile import command as profile


def run(command, *arguments):
    done = CliRunner().invoke(command, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_profile_as_json_and_figure(tmp_path):
    figure = tmp_path / "step.svg"
    found = json.loads(
        run(
            profile,
            "--preset",
            "debug",
            "--batch",
            4,
            "--micro",
            2,
            "--steps",
            2,
            "--figure",
            figure,
            "--json",
        )
    )
    assert found["step"] == {"batch": 4, "micro": 2, "tokens": 32, "workers": found["step"]["workers"]}
    for rows in (found["by_layer"], found["by_function"]):
        assert sum(row["seconds"] for row in rows.values()) == pytest.approx(found["seconds"])
        assert sum(row["flops"] for row in rows.values()) == found["flops"]
    assert found["memory"]["kept_by_layer"] == found["memory"]["kept_by_layer_rehearsed"]
    assert found["memory"]["peak"] > found["memory"]["weights"]
    assert 0.5 < found["explained"] <= 1
    ElementTree.parse(figure)


def test_a_profile_as_tables(tmp_path):
    figure = tmp_path / "step.html"
    told = run(profile, "--preset", "debug", "--seq", 16, "--workers", 1, "--steps", 1, "--figure", figure)
    for words in ("8 × 16 tokens", "1 worker", "layers.1.attn", "linear_backward", "adamw", "Watching adds"):
        assert words in told
    assert figure.read_text("utf-8").startswith("<!doctype html>")


def test_an_estimate_that_is_checked():
    found = json.loads(run(estimate, "--preset", "small", "--batch", 16, "--micro", 4, "--check", "--json"))
    assert found["ratio"]["bytes"] == pytest.approx(1, abs=0.25)
    assert (
        0.1 < found["ratio"]["seconds"] < 10
    )  # others may be using the machine; `make bench` is for figures
    assert sum(found["seconds_by_part"].values()) == pytest.approx(found["seconds"])
    assert found["budget"] == {"tokens": 10_000_000, "seconds": pytest.approx(9766 * found["seconds"])}


def test_an_estimate_as_tables_and_for_other_lengths():
    told = run(estimate, "--preset", "debug", "--seq", 64, "--workers", 1, "--tokens", 1000)
    told = " ".join(told.split())  # lines break where the numbers make them
    for words in ("8 × 64 tokens", "matrix products", "optimizer", "activations", "1,000 tokens take"):
        assert words in told
    assert "Checked" not in told


def test_errors_name_the_remedy():
    wrong = CliRunner().invoke(profile, ["--figure", "step.png"])
    assert isinstance(wrong.exception, ValueError)
    assert "choose a name that ends in .svg or .html" in str(wrong.exception)
    assert "preset" in str(CliRunner().invoke(estimate, ["--preset", "huge"]).exception)
