"""`mini-bert find-rate`, as a user types it."""

import json

import pytest

from mini_bert.cli import main

SHORT = ["--preset", "debug", "--corpus", "world:300", "--seed", "1", "--from", "1e-5", "--steps", "60"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sweep(capsys, *args):
    assert main(["find-rate", *SHORT, *args, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_rate_is_suggested_and_drawn_and_nothing_else_is_left(capsys, folder):
    assert main(["find-rate", *SHORT, "--to", "10", "--plot", "rates.png"]) == 0
    shown = capsys.readouterr().out
    assert "the loss fell fastest at" in shown
    assert "suggested: --learning-rate" in shown
    assert (folder / "rates.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in folder.iterdir()] == ["rates.png"]


def test_the_suggestion_is_one_that_trains(capsys):
    found = sweep(capsys, "--to", "10")
    assert 1e-4 < found["suggestion"] < 0.1
    assert found["suggestion"] <= found["diverged_at"] / 10
    assert found["losses"][0] == pytest.approx(6.2, abs=0.3)  # ln 512: nothing is learned yet
    assert min(found["smoothed"]) < found["losses"][0] - 0.3


def test_the_optimizer_of_the_configuration_is_swept(capsys):
    """Plain gradient descent wants a far higher rate than AdamW."""
    settings = ["--set", "optimizer.kind=sgd", "--set", "optimizer.momentum=0.0", "--to", "1000"]
    assert sweep(capsys, *settings)["suggestion"] > 3 * sweep(capsys, "--to", "1000")["suggestion"]


def test_its_steps_are_those_that_training_would_take(capsys):
    """At one rate throughout, the losses are those of `train` at that rate."""
    at_one_rate = ["--from", "0.001", "--to", "0.0010000001", "--steps", "4"]
    losses = sweep(capsys, *at_one_rate)["losses"]
    options = ["--learning-rate", "1e-3", "--steps", "4", "--out", "run", "--json"]
    changes = ["schedule.kind=constant", "schedule.warmup=0", "logging.every=1"]
    sets = [word for change in changes for word in ("--set", change)]
    assert main(["train", "--preset", "debug", "--corpus", "world:300", "--seed", "1", *options, *sets]) == 0
    with open("run/metrics.jsonl", encoding="utf-8") as lines:
        trained = [json.loads(line)["loss"] for line in lines]
    assert losses == pytest.approx(trained[:4], rel=1e-5)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--from", "1", "--to", "0.1"], "choose 0 < low < high"),
        (["--plot", "rates.pdf"], "rates.pdf: a plot is a .png or an .svg"),
        (["--preset", "debgu"], "did you mean 'debug'"),
        (["--set", "optimizer.momentum=0.9"], "momentum: means nothing to adamw"),
    ],
)
def test_bad_wishes_are_refused_with_the_remedy(capsys, argv, message):
    assert main(["find-rate", *SHORT, *argv]) == 2
    assert message in capsys.readouterr().err


def test_a_sweep_longer_than_the_budget_of_the_run(capsys):
    options = ["--config", "debugging", "--corpus", "world:300", "--set", "budget.steps=10"]
    assert main(["find-rate", *options, "--steps", "30", "--to", "1e-2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["suggestion"] > 0
