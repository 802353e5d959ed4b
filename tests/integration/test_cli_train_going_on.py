"""Every way for a run of `mini-bert train` to end, and to go on."""

import json
import os
import random
import shutil
import signal
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
import yaml

from mini_bert.cli import main
from mini_bert.training.lost_checkpoints import refuse_lost_checkpoints
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.trainer import Trainer
from tests.integration.short_runs import SHORT, metrics, start, train, weights

OFTEN = ["--set", "logging.inspect_every=5"]
SIZES = {"hidden_size": 32, "num_layers": 1, "num_heads": 2, "intermediate_size": 32, "vocab_size": 600}
TINY = [word for name, size in SIZES.items() for word in ("--set", f"model.{name}={size}")]
TINY += ["--set", "model.max_seq_length=16", "--batch", "4"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


def timeless(line):
    """Metrics without what depends on the hour and the machine."""
    kept = {name: value for name, value in line.items() if name not in ("seconds", "tokens_per_second")}
    return {**kept, "inspection": {**line.get("inspection", {}), "resident_bytes": 0}}


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
    train("--steps", "6", "--set", "logging.every=1", "--out", "run")
    first = weights("run")
    shutil.rmtree("run/checkpoints")
    log = Path("run/metrics.jsonl")
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:5]))
    assert main(["train", "--resume", "run"]) == 0
    assert "starts over" in capsys.readouterr().out
    assert weights("run") == first
    assert main(["train", "--resume", "run"]) == 0
    assert "finished: 6 steps" in capsys.readouterr().out
    assert weights("run") == first


@pytest.mark.parametrize("options", [["--steps", "6"], ["--steps", "12", "--save-every", "5"]])
def test_a_run_that_has_lost_its_checkpoints_keeps_its_log(options, capsys):
    train(*options, "--set", "logging.every=1", "--out", "run")
    first, log = weights("run"), metrics("run")
    if "--save-every" in options:
        log = log[:8]
        Path("run/metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in log))
    shutil.rmtree("run/checkpoints")
    assert main(["train", "--resume", "run"]) == 2
    told = capsys.readouterr().err
    assert f"no checkpoint here, and the log tells of {len(log)} steps; restore one, or begin a new" in told
    assert metrics("run") == log
    assert f"mini-bert train --config {Path('run/config.yaml')} --out NEW" in told
    assert main(["train", "--config", "run/config.yaml", "--out", "new"]) == 0
    assert weights("new") == first


@pytest.mark.parametrize("has_folder", [True, False])
def test_a_run_that_ended_while_it_saved_its_first_checkpoint_starts_over(has_folder, tmp_path):
    run = RunFolder(tmp_path / "run")
    (run.checkpoints if has_folder else run.path).mkdir(parents=True)
    with run.open_metrics() as log:
        for step in (2, 4):
            log.write({"step": step})
    refuse_lost_checkpoints(run, 5, "held_out_loss")
    ended = nullcontext() if has_folder else pytest.raises(ValueError, match="the log tells of 4 steps")
    with ended:
        refuse_lost_checkpoints(run, 4, "held_out_loss")
    with pytest.raises(ValueError, match="the log tells of 4 steps"):
        refuse_lost_checkpoints(run, 3, "held_out_loss")


def test_a_run_that_the_guard_stopped_at_its_first_checkpoint_starts_over(tmp_path):
    run = RunFolder(tmp_path / "run")
    run.path.mkdir()
    with run.open_metrics() as log:
        log.write({"step": 4, "troubles": ["the loss is not finite (stop)"]})
    refuse_lost_checkpoints(run, 4, "held_out_loss")
    with run.open_metrics() as log:
        log.write({"step": 4, "troubles": ["a spike (skip)"]})
    with pytest.raises(ValueError, match="the log tells of 4 steps"):
        refuse_lost_checkpoints(run, 4, "held_out_loss")


def test_a_resumed_run_may_have_another_budget(capsys):
    train("--steps", "6", "--out", "run", "--set", "schedule.kind=linear", "--set", "logging.every=1")
    assert main(["train", "--resume", "run", "--steps", "6"]) == 2
    assert "run: 6 steps: so much is done already (6 steps, " in capsys.readouterr().err
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
