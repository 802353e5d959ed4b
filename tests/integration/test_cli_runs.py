"""`mini-bert runs`, as a user types it."""

import json

import pytest

from mini_bert.cli import main
from tests.unit.runs_by_hand import FACTS, held_out, line, write_run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Three seeds of one setting and one of another, one of them unfinished."""
    monkeypatch.chdir(tmp_path)
    for seed, loss in ((1, 3.0), (2, 3.2), (3, 3.4)):
        lines = [line(50, 5.0, **held_out(4.0)), line(100, 4.0, **held_out(loss))]
        write_run(tmp_path / "runs" / f"adamw-{seed}", lines, spent=100, seed=seed)
    lines = [line(50, 5.5, **held_out(4.4, 0.123))]
    write_run(tmp_path / "runs" / "lion", lines, spent=50, optimizer={"kind": "lion", "learning_rate": 5e-3})
    return tmp_path


def test_runs_are_listed(capsys):
    assert main(["runs"]) == 0
    shown = capsys.readouterr().out
    rows = {row.split()[0]: row for row in shown.splitlines() if row.split()}
    assert {"adamw-1", "adamw-2", "adamw-3", "lion"} <= set(rows)
    assert "unfinished" in rows["lion"]
    assert "12.3 %" in rows["lion"]
    assert "finished" in rows["adamw-1"]
    assert "3.000" in rows["adamw-1"]


def test_json_is_one_object(capsys):
    assert main(["runs", "runs/lion", "runs/adamw-2", "--json", "--differences", "--by-seed"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["name"] for run in found["runs"]] == ["lion", "adamw-2"]
    assert found["runs"][1]["held_out"]["loss"] == 3.2
    assert found["runs"][1]["state"] == "finished"
    assert found["differences"] == {
        "optimizer.kind": {"lion": "lion", "adamw-2": "adamw"},
        "seed": {"lion": 0, "adamw-2": 2},
    }
    assert [group["n"] for group in found["groups"]] == [1, 1]


def test_seeds_are_averaged_with_their_interval(capsys):
    assert main(["runs", "--by-seed"]) == 0
    shown = capsys.readouterr().out
    assert "3.200 ± 0.497" in shown  # 4.3027 · 0.2 / √3
    assert "kind=lion" in shown


def test_differences_are_shown(capsys):
    assert main(["runs", "runs/adamw-1", "runs/adamw-2", "--differences"]) == 0
    shown = capsys.readouterr().out
    assert "Settings that differ" in shown
    assert "seed" in shown
    assert "optimizer" not in shown


@pytest.mark.parametrize("options", [[], ["--by-seed"], ["--metric", "loss"]])
def test_curves_are_drawn(capsys, folder, options):
    assert main(["runs", "--plot", "curves.svg", *options]) == 0
    drawn = (folder / "curves.svg").read_text("utf-8")
    assert ("(n = 3)" in drawn) == ("--by-seed" in options)
    assert ("adamw-1" in drawn) == ("--by-seed" not in options)
    assert "curves.svg" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("metric", "level"), [("held_out_loss", "word frequencies"), ("accuracy", "most frequent word")]
)
def test_a_single_run_is_drawn_with_what_one_scores_without_reading(folder, metric, level):
    write_run(folder / "alone", [line(50, 5.0), line(100, 4.0, **held_out(3.0))], FACTS)
    assert main(["runs", "alone", "--plot", "curve.svg", "--metric", metric]) == 0
    drawn = (folder / "curve.svg").read_text("utf-8")
    assert all(name in drawn for name in ("training", "held-out", level))


def test_a_run_that_cannot_be_read_is_left_out_and_told(capsys, folder):
    (folder / "runs" / "lion" / "config.yaml").write_text("budget: [")
    assert main(["runs", "--json"]) == 0
    told = capsys.readouterr()
    assert len(json.loads(told.out)["runs"]) == 3
    assert "left out" in told.err
    assert "config.yaml: not YAML" in told.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nowhere"], "nowhere: no such folder; begin a run with `mini-bert train`"),
        (["empty"], "empty: no run here or below"),
        (["--plot", "curves.gif"], "curves.gif: a plot is a .png or an .svg"),
        (["--plot", "curves.png", "--metric", "held_out_los"], "did you mean 'held_out_loss'?"),
    ],
)
def test_bad_wishes_are_refused_with_the_remedy(capsys, folder, argv, message):
    (folder / "empty").mkdir()
    assert main(["runs", *argv]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "curves.png").exists()
