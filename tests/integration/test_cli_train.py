"""`mini-bert train`, as a user types it: a run, its folder, and every way to end and to go on."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from mini_bert import MiniBERT
from mini_bert.cli import main
from mini_bert.cli.train import free_name
from mini_bert.training.trainer import Trainer

SHORT = ["--preset", "debug", "--corpus", "world:300", "--seed", "1", "--set", "logging.evaluate_every=20"]
OFTEN = ["--set", "logging.inspect_every=5"]
SIZES = {"hidden_size": 32, "num_layers": 1, "num_heads": 2, "intermediate_size": 32, "vocab_size": 600}
TINY = [word for name, size in SIZES.items() for word in ("--set", f"model.{name}={size}")]
TINY += ["--set", "model.max_seq_length=16", "--batch", "4"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(*args, expect=0):
    assert main(["train", *SHORT, *args]) == expect


def metrics(run):
    return [json.loads(line) for line in (Path(run) / "metrics.jsonl").read_text().splitlines()]


def weights(run):
    return (Path(run) / "checkpoints" / "last" / "model.safetensors").read_bytes()


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


def test_the_loss_goes_down():
    train("--steps", "150", "--out", "run", "--learning-rate", "1e-2")
    lines = metrics("run")
    assert lines[-1]["loss"] < lines[0]["loss"] - 0.3


@contextmanager
def stopping_at(number):
    """A run in here is stopped after so many steps."""
    step = Trainer.one_step

    def stop_then(self):
        taken = step(self)
        if self.progress.spent.steps == number:
            self.stop()
        return taken

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "one_step", stop_then)
        yield


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_same_seed_gives_the_same_bits(dtype):
    train("--steps", "12", "--out", "one", "--dtype", dtype)
    train("--steps", "12", "--out", "two", "--dtype", dtype)
    assert weights("one") == weights("two")


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--set", "averaging.kind=ema"],
        ["--set", "averaging.kind=lookahead"],
        ["--set", "optimizer.kind=lion", "--set", "optimizer.learning_rate=1e-3"],
        ["--set", "optimizer.kind=muon", "--set", "clipping.kind=adaptive"],
        ["--set", "batch.ramp_from=8", "--set", "masking.final_share=0.3"],
        ["--set", "model.dropout=0.1", "--set", "masking.kind=whole-words"],
        ["--set", "packed=false", "--set", "masking.static=true"],
        ["--set", "optimizer.kind=sophia", "--set", "averaging.kind=lookahead"],
        ["--set", "second_task.kind=next-sentence", "--set", "masking.adaptive=true"],
        ["--set", "second_task.kind=token-order", "--set", "curriculum.kind=rarity"],
        ["--preset", "gpt2-mini", *TINY],
        ["--preset", "electra-mini", "--set", "model.embedding_size=16", *TINY],
        ["--preset", "xlnet-mini", *TINY],
        ["--preset", "transformer-xl-mini", *TINY],
        ["--preset", "albert-mini", "--set", "model.embedding_size=16", *TINY],
    ],
    ids=lambda options: " ".join(options[1:4:2]) or "plain",
)
def test_stopped_and_resumed_is_the_same_as_never_stopped(options):
    options = [*options, *OFTEN]
    train("--steps", "24", "--save-every", "7", "--out", "whole", *options)
    with stopping_at(11):
        train("--steps", "24", "--save-every", "7", "--out", "stopped", *options)
    assert main(["train", "--resume", "stopped"]) == 0
    assert weights("whole") == weights("stopped")
    assert [timeless(line) for line in metrics("whole")] == [timeless(line) for line in metrics("stopped")]


def test_a_student_learns_from_its_teacher_and_goes_on_from_anywhere():
    train("--steps", "6", "--out", "teacher")
    student = ["--teacher", "teacher", "--set", "model.num_layers=1", *OFTEN]
    train("--steps", "12", "--out", "whole", *student)
    with stopping_at(5):
        train("--steps", "12", "--out", "stopped", *student)
    assert main(["train", "--resume", "stopped"]) == 0
    assert weights("whole") == weights("stopped")
    assert {"second_loss", "second_accuracy"} <= metrics("whole")[-1].keys()
    assert (
        Path("whole/tokenizer/tokenizer.json").read_bytes()
        == Path("teacher/tokenizer/tokenizer.json").read_bytes()
    )


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


def timeless(line):
    """Metrics without what depends on the hour and the machine."""
    kept = {name: value for name, value in line.items() if name not in ("seconds", "tokens_per_second")}
    return {**kept, "inspection": {**line.get("inspection", {}), "resident_bytes": 0}}


def start(*args):
    command = [sys.executable, "-m", "mini_bert", "train", *args]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_new_checkpoint(process, run):
    last = run / "checkpoints" / "last" / "checksums.json"
    before = last.stat().st_mtime_ns if last.exists() else 0
    while process.poll() is None and not (last.exists() and last.stat().st_mtime_ns != before):
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGKILL")
def test_killed_at_any_time_a_run_goes_on():
    options = [*SHORT, "--steps", "400", "--save-every", "3"]
    train(*options[len(SHORT) :], "--out", "whole")
    rng = random.Random(0)
    process = start(*options, "--out", "killed")
    for _ in range(4):
        wait_for_new_checkpoint(process, Path("killed"))
        time.sleep(rng.uniform(0, 0.3))
        process.kill()
        process.wait()
        if not Path("killed/config.yaml").exists():
            process = start(*options, "--out", "killed")
        else:
            process = start("--resume", "killed")
    assert process.wait(timeout=120) == 0
    assert weights("killed") == weights("whole")


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGTERM")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_stops(number):
    process = start(*SHORT, "--steps", "100000", "--out", "run")
    while not (Path("run/metrics.jsonl").exists() and metrics("run")):
        time.sleep(0.1)
        assert process.poll() is None
    process.send_signal(number)
    assert process.wait(timeout=60) == 128 + number
    assert (
        json.loads((Path("run") / "checkpoints/last/state.json").read_text())["progress"]["spent"]["steps"]
        > 0
    )


def test_resuming_before_any_checkpoint_starts_over_and_a_finished_run_stays(capsys):
    train("--steps", "6", "--out", "run")
    first = weights("run")
    shutil.rmtree("run/checkpoints")
    assert main(["train", "--resume", "run"]) == 0
    assert "starts over" in capsys.readouterr().out
    assert weights("run") == first
    assert main(["train", "--resume", "run"]) == 0
    assert "finished: 6 steps" in capsys.readouterr().out
    assert weights("run") == first


def test_a_resumed_run_may_have_another_budget(capsys):
    train("--steps", "6", "--out", "run", "--set", "schedule.kind=linear", "--set", "logging.every=1")
    assert main(["train", "--resume", "run", "--steps", "6"]) == 2
    assert "run: 6 steps are done already (6 steps, " in capsys.readouterr().err
    assert main(["train", "--resume", "run", "--steps", "12"]) == 0
    assert "from here on: budget.steps 6 → 12" in capsys.readouterr().out
    assert yaml.safe_load(Path("run/config.yaml").read_text())["budget"]["steps"] == 12
    train("--steps", "12", "--out", "whole", "--set", "schedule.kind=linear", "--set", "logging.every=1")
    rates = {run: [line["learning_rate"] for line in metrics(run)] for run in ("run", "whole")}
    assert rates["run"][6:] == rates["whole"][6:]
    assert rates["run"][:6] != rates["whole"][:6]
    state = json.loads(Path("run/checkpoints/last/state.json").read_text())
    tokens = metrics("run")[5]["tokens"]
    assert state["progress"]["changes"] == [{"step": 6, "tokens": tokens, "budget.steps": [6, 12]}]


def test_a_damaged_checkpoint_is_told_and_the_one_before_used(capsys):
    train("--steps", "20", "--save-every", "10", "--out", "run")
    first = weights("run")
    shutil.rmtree("run/checkpoints/best")
    path = Path("run/checkpoints/last/model.safetensors")
    path.write_bytes(path.read_bytes()[:-100])
    assert main(["train", "--resume", "run"]) == 0
    shown = capsys.readouterr().out
    assert "model.safetensors is damaged; the checkpoint before it is used" in shown
    assert "going on from step 10" in shown
    assert weights("run") == first


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


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGKILL")
def test_two_processes_do_not_train_in_one_folder(capsys):
    process = start(*SHORT, "--steps", "100000", "--out", "run")
    try:
        while not (Path("run/metrics.jsonl").exists() and metrics("run")):
            time.sleep(0.1)
            assert process.poll() is None
        assert main(["runs", "run", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["runs"][0]["state"] == "running"
        assert main(["train", "--resume", "run"]) == 2
        assert "run: another process is training here" in capsys.readouterr().err
    finally:
        process.kill()
        process.wait()
    assert main(["runs", "run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["state"] != "running"


def test_a_disk_that_is_full_leaves_the_last_checkpoint(capsys, monkeypatch):
    from mini_bert.training import checkpoints

    write, calls = checkpoints.write_atomically, []

    def full_at_last(path, content):
        calls.append(path)
        if len(calls) > 8:
            raise OSError(28, "No space left on device", str(path))
        write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "write_atomically", full_at_last)
        train("--steps", "30", "--save-every", "5", "--out", "run", expect=2)
    told = capsys.readouterr().err
    assert "No space left on device; the checkpoint of step 5 is whole" in told
    assert "mini-bert train --resume run" in told
    assert main(["train", "--resume", "run"]) == 0
    assert "going on from step 5" in capsys.readouterr().out


def test_a_wish_that_cannot_be_met_leaves_no_folder():
    for wrong in (["--corpus", "wrold"], ["--set", "optimizer.momentum=0.9"], ["--set", "batch.ramp_from=3"]):
        train(*wrong, "--steps", "3", "--out", "run", expect=2)
        assert not Path("run/config.yaml").exists()
    train("--steps", "3", "--out", "run")


def test_a_run_that_went_on_from_a_model_does_not_need_it_any_more(capsys):
    train("--steps", "10", "--out", "first")
    assert (
        main(
            [
                "train",
                "--config",
                "finetuning",
                "--init",
                "first",
                "--corpus",
                "world:100",
                "--steps",
                "6",
                "--out",
                "second",
                "--json",
            ]
        )
        == 0
    )
    shown = capsys.readouterr().out
    told = json.loads(shown[shown.index("{") :])
    assert told["old"]["loss"] > 0
    assert told["start"]["held_out_loss"] > 0
    shutil.move("first", "elsewhere")
    assert main(["train", "--resume", "second"]) == 0


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
