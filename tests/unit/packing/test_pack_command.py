"""`mini-bert pack`, as a user types it."""

import json
import shutil
from pathlib import Path

import pytest

from mini_bert.cli import main
from tests.unit.packing.samples import EXAM, of


def test_the_command(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    argv = ["pack", str(run), "--out", "tiny", "--max-rows", "8"]
    assert main([*argv, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == sum(told["files"].values())
    assert told["same_first_guess"]["value"] > 0.9
    assert main(argv) == 2
    assert "or --replace it" in capsys.readouterr().err
    assert main([*argv, "--replace"]) == 0
    out = capsys.readouterr().out
    assert "same first guess as the original" in out
    assert max(map(len, out.splitlines())) <= 80
    assert main(["fill-mask", "the dog is [MASK] .", "--model", "tiny"]) == 0


def test_the_command_tells_what_is_not_new(packed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(packed.folder, "tiny")
    hidden = json.loads(Path("tiny/evaluation.json").read_text("utf-8"))["results"]["hidden"]
    Path("newer.json").write_text(json.dumps(hidden | of(packed.folder)))
    assert main(["pack", "tiny", "--out", "tiny", "--replace", "--results", "newer.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "same first guess as the original, when it was first packed: ✓" in out
    assert "in the place of older results: hidden" in out


def test_another_model_than_before_is_no_success(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mini_bert.pretrained.agreement.WANTED_AGREEMENT", 1.1)
    assert main(["pack", str(run), "--out", str(tmp_path / "tiny"), "--max-rows", "4"]) == 1
    assert "✗" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "remedy"),
    [
        (["nowhere", "--out", "tiny"], "nowhere: no model here; name a run's folder"),
        (["mini-bets", "--out", "tiny"], "did you mean 'mini-best'?"),
        (["RUN", "--out", "."], ".: stands for a folder that is there; choose another --out"),
        (["RUN", "--out", "tiny", "--name", "two\nlines"], "'two\\nlines': a name is one line"),
        (
            ["RUN", "--out", "two\nlines"],
            "'two\\nlines': a name is one line of plain signs; give such a --name",
        ),
        (["RUN", "--out", "taken"], "taken: is there already, and no packed model"),
        (["RUN", "--out", "tiny", "--results", "broken.json"], "broken.json: not JSON"),
        (["RUN", "--out", "tiny", "--results", "list.json"], "list.json: expected one object"),
        (["RUN", "--out", "tiny", "--results", "silent.json"], "silent.json: does not say of which weights"),
        (["RUN", "--out", "tiny", "--results", "other.json"], "other.json: tells of other weights (0123)"),
        (
            ["RUN", "--out", "tiny", "--results", "half.json"],
            "half.json: 'baselines' is missing; examine the model again",
        ),
        (
            ["RUN", "--out", "tiny", "--results", "one.json", "--results", "two.json"],
            "two.json: tells of the same exam as one.json; give one of the two",
        ),
        (["RUN", "--out", "tiny", "--corpus", "gone.json"], "gone.json: no such file"),
        (
            ["RUN", "--out", "tiny", "--corpus", "silent.json"],
            "silent.json: not a corpus.json; mini-bert data build",
        ),
        (["RUN", "--out", "tiny", "--corpus", "sourceless.json"], "sourceless.json: not a corpus.json"),
        (["RUN", "--out", "tiny", "--corpus", "unlicensed.json"], "unlicensed.json: not a corpus.json"),
        (["RUN", "--out", "tiny", "--text", "gone.txt"], "gone.txt: no such file"),
    ],
)
def test_a_mistake_is_explained(run, tmp_path, monkeypatch, capsys, argv, remedy):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "letter.txt").write_text("mine")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "sourceless.json").write_text('{"format": 1, "sources": {}}')
    (tmp_path / "unlicensed.json").write_text('{"format": 1, "sources": {"mine": {}}}')
    (tmp_path / "half.json").write_text('{"paradigms": {}}')
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(json.dumps(EXAM))
    (tmp_path / "silent.json").write_text('{"accuracy": 1.0}')
    (tmp_path / "other.json").write_text('{"accuracy": 1.0, "weights": "0123"}')
    assert main(["pack", *(str(run) if one == "RUN" else one for one in argv)]) == 2
    told = capsys.readouterr()
    assert remedy in told.err
    assert told.out == ""
    assert not (tmp_path / "tiny").exists()
