"""`mini-bert experiment`, as a user types it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from mini_bert.cli import main
from mini_bert.experiments.experiment import experiment_names

WHERE = """question: Where should the norm stand?
told: Here or there.
base_is: after
variants:
  before: {model: {residual: pre-norm}}
"""
PLACES = ["where.yaml", "--out", "search"]
TINY = ["--base", "debugging", "--steps", "12", "--exam-rows", "20", "--corpus", "world:200"]
TINY += ["--held-out", "world:40", "--parallel", "2"]
IMPATIENT = """
import sys
from mini_bert.cli import main
from mini_bert.experiments import side_by_side

def attend(heard, working, outcomes):
    raise KeyboardInterrupt

side_by_side.attend = attend
sys.exit(main(sys.argv[1:]))
"""
"""Ctrl-C whenever it listens."""
PAGE = "# Search\n\n<!-- experiment: where -->\n<!-- end -->\n\nthe end\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A search that has been run once."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "where.yaml").write_text(WHERE, "utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert main(["experiment", *PLACES, *TINY]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def folder(trained, tmp_path, monkeypatch):
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def steps_of(run):
    return json.loads(Path(run, "checkpoints/last/state.json").read_text("utf-8"))["progress"]["spent"][
        "steps"
    ]


def test_experiments_are_listed_and_described(capsys):
    assert main(["experiment"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in experiment_names())
    assert main(["experiment", "norm"]) == 0
    assert "Where should the norm stand?" in capsys.readouterr().out
    assert main(["experiment", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["experiments"]] == experiment_names()


def test_runs_are_there_with_one_worker_one_vocabulary_and_scores(folder):
    for name in ("base", "where.before"):
        assert steps_of(folder / "search" / name) == 12
        assert "workers: 1" in (folder / "search" / name / "config.yaml").read_text("utf-8")
        assert (folder / "search" / name / "report.html").is_file()
        assert (folder / "search" / name / "exam.json").is_file()
    vocabularies = {(folder / "search" / name / "tokenizer.json") for name in ("base/tokenizer", "tokenizer")}
    assert len({path.read_bytes() for path in vocabularies}) == 1


def test_the_table_needs_nothing_but_the_folder(folder, capsys):
    assert main(["experiment", *PLACES, "--table"]) == 0
    shown = capsys.readouterr().out
    assert "after" in shown
    assert "±" in shown
    assert main(["experiment", *PLACES, "--table", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["experiments"]
    base, before = found["variants"]
    assert (base["title"], before["title"]) == ("after", "before")
    assert base["difference"]["loss"] is None
    low, high = (before["difference"]["loss"][name] for name in ("low", "high"))
    assert low < before["overall"]["loss"]["value"] - base["overall"]["loss"]["value"] < high
    assert before["tokens"] == base["tokens"] == 12 * 32 * 32
    assert before["parameters"] == base["parameters"]
    assert list(before["texts"]) == ["world:40"]


def test_variants_are_compared_with_what_the_experiment_names(folder, capsys):
    asked = ["experiment", *PLACES, "--table", "--json"]
    assert main(asked) == 0
    (usual,) = json.loads(capsys.readouterr().out)["experiments"]
    Path("where.yaml").write_text(WHERE + "against: before\n", "utf-8")
    assert main(asked) == 0
    (found,) = json.loads(capsys.readouterr().out)["experiments"]
    assert (usual["against"], found["against"]) == ("base", "before")
    assert [one["title"] for one in found["variants"]] == ["before", "after"]
    before, base = (one["difference"]["loss"] for one in found["variants"])
    assert before is None
    assert base["value"] == pytest.approx(-usual["variants"][1]["difference"]["loss"]["value"])
    assert main([*asked[:-1], "--markdown"]) == 0
    assert "loss − before | found − before" in capsys.readouterr().out


def test_other_seeds_of_the_base_stand_below_what_is_compared_with_the_base(folder, capsys):
    shutil.copytree("search/where.before", "search/seed.1")
    shutil.copytree("search/base", "search/seed.2")
    assert main(["experiment", *PLACES, "--table"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert re.search(
        r"The base with other seeds: loss (−\S+, ±?0\.000|±?0\.000, \+\S+) against the base", shown
    )
    Path("where.yaml").write_text(WHERE + "against: before\n", "utf-8")
    assert main(["experiment", *PLACES, "--table"]) == 0
    assert "with other seeds" not in capsys.readouterr().out


def test_the_same_command_trains_nothing_again(folder, capsys):
    written = {path: path.stat().st_mtime_ns for path in folder.glob("search/*/checkpoints/last/*")}
    assert main(["experiment", *PLACES, *TINY]) == 0
    assert written == {path: path.stat().st_mtime_ns for path in folder.glob("search/*/checkpoints/last/*")}


def test_tables_are_written_into_a_page(folder, capsys):
    Path("page.md").write_text(PAGE, "utf-8")
    assert main(["experiment", *PLACES, "--table", "--write", "page.md", "--markdown"]) == 0
    page = Path("page.md").read_text("utf-8")
    assert capsys.readouterr().out.strip() in page
    assert "### Where should the norm stand?" in page
    assert page.endswith("<!-- end -->\n\nthe end\n")
    assert main(["experiment", *PLACES, "--table", "--write", "page.md"]) == 0
    assert Path("page.md").read_text("utf-8") == page
    assert capsys.readouterr().err.endswith("written into page.md: where\n")


def test_a_table_with_runs_to_go_takes_the_place_of_none(folder, capsys):
    Path("where.yaml").write_text(WHERE + "  other: {seed: 1}\n", "utf-8")
    Path("page.md").write_text(PAGE.replace("<!-- end -->", "whole\n<!-- end -->"), "utf-8")
    assert main(["experiment", *PLACES, "--table", "--write", "page.md"]) == 0
    assert "left as it was in page.md, for not all runs are examined: where" in capsys.readouterr().err
    assert "\nwhole\n" in Path("page.md").read_text("utf-8")


def test_a_run_that_differs_is_told_in_a_table_and_refused_in_training(folder, capsys):
    config = folder / "search" / "where.before" / "config.yaml"
    config.write_text(
        config.read_text("utf-8").replace("learning_rate: 0.005", "learning_rate: 0.004"), "utf-8"
    )
    assert main(["experiment", *PLACES, "--table"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "differs from the base otherwise than it should, in optimizer.learning_rate" in told
    assert main(["experiment", *PLACES]) == 2
    assert "holds another run (optimizer.learning_rate 0.004, not 0.005)" in capsys.readouterr().err


def test_a_setting_that_is_meant_to_differ_and_does_so_by_another_value_is_told(folder, capsys):
    config = folder / "search" / "where.before" / "config.yaml"
    settings = yaml.safe_load(config.read_text("utf-8"))
    config.write_text(yaml.safe_dump(settings | {"seed": 2}), "utf-8")
    Path("where.yaml").write_text(WHERE.replace("pre-norm}", "pre-norm}, seed: 1"), "utf-8")
    assert main(["experiment", *PLACES, "--table"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "differs from the base otherwise than it should, in seed" in told


def test_a_run_that_fails_does_not_stop_the_others(folder, capsys):
    Path("fast.yaml").write_text(
        "question: How fast?\nvariants:\n  too-fast: {optimizer: {learning_rate: 1e30}}\n  slow: {seed: 1}\n",
        "utf-8",
    )
    assert main(["experiment", "fast.yaml", "--out", "search"]) == 1
    shown = capsys.readouterr().out
    assert "fast.too-fast" in shown
    assert steps_of("search/fast.slow") == 12
    assert Path("search/fast.slow/exam.json").is_file()
    Path("page.md").write_text(PAGE.replace("where", "fast"), "utf-8")
    assert main(["experiment", "fast.yaml", "--out", "search", "--table", "--write", "page.md"]) == 0
    assert "stopped" in capsys.readouterr().out
    assert "How fast?" in Path("page.md").read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="a signal cannot be sent to a single process on Windows")
def test_ctrl_c_saves_all_runs_and_the_same_command_goes_on(folder):
    Path("long.yaml").write_text("question: Long?\nvariants: {other: {seed: 1}}", "utf-8")
    argv = [sys.executable, "-m", "mini_bert", "experiment", "long.yaml", "--out", "long", *TINY]
    argv[argv.index("--steps") + 1] = "150"
    process = subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a shell's background jobs ignore it
    )
    runs = [Path("long/base"), Path("long/long.other")]
    while not all(
        (run / "metrics.jsonl").exists() and (run / "metrics.jsonl").stat().st_size for run in runs
    ):
        time.sleep(0.1)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert b"stopped and saved; the same command goes on" in errors
    assert b"Traceback" not in errors
    assert all(0 < steps_of(run) < 150 for run in runs)
    assert main(argv[3:]) == 0
    assert all(steps_of(run) == 150 for run in runs)


@pytest.mark.skipif(os.name == "nt", reason="a signal cannot be sent to a single process on Windows")
def test_a_second_ctrl_c_does_not_claim_that_runs_were_saved(folder):
    Path("long.yaml").write_text("question: Long?\nvariants: {other: {seed: 1}}", "utf-8")
    argv = [sys.executable, "-c", IMPATIENT, "experiment", "long.yaml", "--out", "long", *TINY]
    argv[argv.index("--steps") + 1] = "150"
    ended = subprocess.run(argv, capture_output=True, timeout=120)
    assert ended.returncode == 130, ended.stderr
    assert b"ended at once, and not saved" in ended.stderr
    assert b"stopped and saved" not in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nrom"], "did you mean 'norm'?"),
        (["norm", "--all"], "leave the names out, or --all"),
        (["norm", "--steps", "3"], "Name a folder with --out"),
        (["--out", "x"], "which experiment?"),
        (["norm", "--out", "nowhere", "--table"], "nowhere: no such folder"),
        (["norm", "--out", "x", "--corpus", "world"], "--corpus without --held-out"),
        (["norm", "--out", "x", "--corpus", "nowhere.txt"], "nowhere.txt: no such file"),
        (["norm", "--out", "x", "--base", "serch"], "did you mean 'search'?"),
        (["norm", "--out", "x", "--table", "--json", "--markdown"], "choose one"),
        (["where.yaml", "--out", "search", "--write", "nowhere.md"], "nowhere.md: no such file"),
        (
            ["where.yaml", "--out", "x", "--write", "where.yaml"],
            "where.yaml: there is no place for experiment: where",
        ),
        (["norm", "--out", "x", "--held-out", "nowhere.txt"], "nowhere.txt: no such file"),
        (["norm", "--out", ".", "--steps", "3"], ".: is not empty, and no search"),
        (["where.yaml", "--out", "search", "--steps", "13", "--table"], "holds another run"),
    ],
)
def test_bad_wishes_are_refused_with_the_remedy(folder, capsys, argv, message):
    assert main(["experiment", *argv]) == 2
    assert message in capsys.readouterr().err
    assert not Path("x").exists()
