"""`mini-bert minimal-pairs`: a folder of pairs, JSON, and what a user may get wrong."""

import json

import pytest

from mini_bert.cli import main
from mini_bert.models.config import ModelConfig
from mini_bert.models.mini import MiniBERT


@pytest.fixture(scope="module")
def folder(tokenizer, tmp_path_factory):
    return saved(tokenizer, tmp_path_factory.mktemp("model"))


def saved(tokenizer, path, **settings):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **settings), seed=3)
    model.save(path)
    tokenizer.save(path)
    return str(path)


@pytest.fixture
def pairs(tmp_path):
    for name in ("passive_1", "wh_island"):
        lines = [
            json.dumps(
                {
                    "sentence_good": f"the man was {word} .",
                    "sentence_bad": f"the man were {word} .",
                    "UID": name,
                }
            )
            for word in ("old", "big", "sad")
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    return tmp_path


def test_json_has_accuracy_paradigms_and_baselines(folder, pairs, capsys):
    assert main(["minimal-pairs", "--model", folder, "--data", str(pairs), "--max-pairs", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["paradigms"]) == {"passive_1", "wh_island"}
    for told in found["paradigms"].values():
        assert told["pairs"] == 2
        assert told["low"] <= told["accuracy"] <= told["high"]
    assert 0 <= found["accuracy"] <= 1
    assert "random weights" in found["baselines"]
    assert set(found["phenomena"]) == {"argument structure", "island effects"}


def test_words_are_hidden_whole_unless_asked_otherwise(folder, pairs, capsys):
    for option, hidden in (([], "with the later pieces of its word"), (["--by-piece"], "by itself")):
        assert main(["minimal-pairs", "--model", folder, "--data", str(pairs), "--json", *option]) == 0
        told = json.loads(capsys.readouterr().out)["scored_by"]
        assert told == f"pseudo-log-likelihood (each piece hidden {hidden})"


def test_tables_name_phenomena_and_what_words_were_counted_in(folder, pairs, tmp_path, capsys):
    text = tmp_path / "some.txt"
    text.write_text("the man was old .\nthe girl was sad .\n", "utf-8")
    assert main(["minimal-pairs", "--model", folder, "--data", str(pairs), "--counts-from", str(text)]) == 0
    shown = "".join(capsys.readouterr().out.split())  # a long path is cut where a line ends
    for word in ("BLiMP", "argumentstructure", "passive_1", "chance", "some.txt"):
        assert word in shown


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: None, "no minimal pairs in this folder"),
        (
            lambda folder: (folder / "a.jsonl").write_text("{}", "utf-8"),
            "a.jsonl:1: no text in field 'sentence_good'",
        ),
        (lambda folder: (folder / "a.jsonl").write_text("", "utf-8"), "a.jsonl: the file is empty"),
        (
            lambda folder: (folder / "a.jsonl").write_text(
                json.dumps({"sentence_good": "a", "sentence_bad": "a", "UID": "x"}), "utf-8"
            ),
            "the good sentence is the bad one too",
        ),
        (
            lambda folder: (folder / "a.txt").write_text("odd one\n", "utf-8"),
            "a bad sentence without its good one",
        ),
    ],
)
def test_bad_data_is_named(folder, tmp_path, make, message, capsys):
    make(tmp_path)
    assert main(["minimal-pairs", "--model", folder, "--data", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_a_model_without_words_is_refused(tokenizer, pairs, tmp_path_factory, capsys):
    folder = saved(tokenizer, tmp_path_factory.mktemp("classes"), head="classes")
    assert main(["minimal-pairs", "--model", folder, "--data", str(pairs)]) == 2
    assert "error: this model tells a class of the whole text, and no words" in capsys.readouterr().err
