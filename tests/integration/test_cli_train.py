"""`mini-bert train`, as a user types it: a run, its folder, and what is refused."""

import json
from pathlib import Path

import pytest
import yaml

from mini_bert import MiniBERT
from mini_bert.cli import main
from mini_bert.cli.train import free_name
from tests.integration.short_runs import SHORT, metrics, train, weights


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_leaves_all_that_is_promised(capsys):
    train("--steps", "40", "--save-every", "10", "--out", "run", "--json")
    summary = json.loads(capsys.readouterr().out)
    assert summary["steps"] == 40
    assert summary["ending"] == "finished"
    assert [line["step"] for line in metrics("run")] == [10, 20, 30, 40]
    assert metrics("run")[-1]["held_out_loss"] == summary["held_out"]["loss"]
    assert all(line["loss"] > 0 for line in metrics("run"))
    model = MiniBERT.load("run/checkpoints/last")
    assert model.config.hidden_size == 32
    assert (Path("run") / "config.yaml").is_file()


@pytest.mark.parametrize("options", [[], ["--corpus", "world:2000"]])
def test_a_run_tells_what_it_learns_from_and_how_long(capsys, options):
    wishes = ["--preset", "debug", "--batch", "16", "--steps", "1", "--set", "logging.exam_rows=8"]
    assert main(["train", "--config", "mini-best", "--out", "run", *wishes, *options]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert " 0.5 % held out; 1 step with muon" in told
    assert ("no --corpus was given: it learns from the embedded world" in told) is (not options)
    assert " 1 step, " in told


def test_the_loss_goes_down():
    train("--steps", "150", "--out", "run", "--learning-rate", "1e-2")
    lines = metrics("run")
    assert lines[-1]["loss"] < lines[0]["loss"] - 0.3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_seed_gives_the_same_bits(dtype):
    train("--steps", "12", "--out", "one", "--dtype", dtype)
    train("--steps", "12", "--out", "two", "--dtype", dtype)
    assert weights("one") == weights("two")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--teacher", "nowhere"], "nowhere: no model here"),
        (
            ["--teacher", "teacher", "--set", "model.causal=true"],
            "the teacher has causal=False and the student",
        ),
        (["--teacher", "teacher", "--set", "second_task.kind=token-order"], "a student learns words alone"),
        (["--set", "model.causal=true", "--set", "second_task.kind=next-sentence"], "has no second task"),
        (["--preset", "electra-base"], "head=replaced without a generator"),
        (["--set", "model.head=tags"], "pretraining asks for words"),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_goals_that_cannot_be_reached_are_refused(options, message, capsys):
    train("--steps", "2", "--out", "teacher")
    assert main(["train", *SHORT, "--steps", "2", "--out", "refused", *options]) == 2
    assert message in capsys.readouterr().err
    assert not Path("refused").exists()


def test_numbers_that_are_not_finite_stop_the_run_with_the_place(capsys):
    train(
        "--steps",
        "60",
        "--out",
        "run",
        "--set",
        "optimizer.learning_rate=1e30",
        "--set",
        "clipping.kind=none",
        expect=2,
    )
    told = capsys.readouterr().err
    assert "not finite" in told
    assert "first in the activations encoder.layers.0." in told
    assert "no checkpoint was written yet" in told
    assert "lower --learning-rate" in told
    last = metrics("run")[-1]
    assert "not finite" in last["troubles"][0]
    assert Path("run/report.html").is_file()


def test_steps_that_are_skipped_leave_the_means_alone(monkeypatch):
    from mini_bert.training.step import TrainingStep

    gradients, calls = TrainingStep.gradients, []

    def broken_once(self, *args, **options):
        result = gradients(self, *args, **options)
        calls.append(1)
        if len(calls) == 15:
            self.norm = float("nan")
            return result._replace(loss=float("nan"))
        return result

    with monkeypatch.context() as patch:
        patch.setattr(TrainingStep, "gradients", broken_once)
        train("--steps", "20", "--out", "run", "--set", "guard.non_finite=skip")
    first, second = metrics("run")
    assert second["loss"] < first["loss"]
    assert "troubles" not in first
    assert second["troubles"][0].endswith("(skip)")
    assert json.loads(Path("run/checkpoints/last/state.json").read_text())["progress"]["skipped"] == 1


def test_the_best_of_all_evaluations_is_kept(capsys):
    train("--steps", "60", "--save-every", "1000", "--learning-rate", "1e-2", "--out", "run")
    scores = {line["step"]: line["held_out_loss"] for line in metrics("run") if "held_out_loss" in line}
    assert len(scores) == 3
    sums = json.loads(Path("run/checkpoints/best/checksums.json").read_text())
    assert sums["step"] == min(scores, key=scores.get)


def test_a_wish_that_cannot_be_met_leaves_no_folder():
    for wrong in (["--corpus", "wrold"], ["--set", "optimizer.momentum=0.9"], ["--set", "batch.ramp_from=3"]):
        train(*wrong, "--steps", "3", "--out", "run", expect=2)
        assert not Path("run/config.yaml").exists()
    train("--steps", "3", "--out", "run")


def test_the_number_of_workers_is_written_down():
    train("--steps", "2", "--out", "run")
    assert yaml.safe_load(Path("run/config.yaml").read_text())["workers"] == 1


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--resume", "nothing"], "nothing: no run here"),
        (
            ["--resume", "run", "--seed", "3", "--steps", "3"],
            "leave the other options out, but for a new budget",
        ),
        (["--resume", "run", "--steps", "3", "--tokens", "5"], "steps and tokens given"),
        (["--steps", "3", "--tokens", "5"], "steps and tokens given"),
        (["--corpus", "wrold"], "unknown corpus 'wrold'; did you mean 'world'"),
        (["--preset", "mnii"], "unknown preset 'mnii'; did you mean 'mini'"),
        (
            ["--set", "optimizer.momentum=0.9", "--preset", "debug", "--corpus", "world:50", "--steps", "2"],
            "momentum: means nothing to adamw",
        ),
    ],
)
def test_bad_wishes_are_refused_with_the_remedy(capsys, argv, message):
    assert main(["train", *argv]) == 2
    assert message in capsys.readouterr().err


def test_a_folder_with_a_run_is_not_overwritten(capsys):
    train("--steps", "2", "--out", "run")
    train("--steps", "2", "--out", "run", expect=2)
    assert "holds a run already; resume it with --resume run" in capsys.readouterr().err


def test_two_runs_of_one_second_have_folders_of_their_own(tmp_path):
    for number in range(3):
        free_name(tmp_path / "2026-01-01-000000").mkdir()
        assert len(list(tmp_path.iterdir())) == number + 1
    assert (tmp_path / "2026-01-01-000000-3").is_dir()
