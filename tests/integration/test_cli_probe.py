"""`mini-bert probe`, as a user runs it."""

import json
from pathlib import Path

import pytest

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer
from mini_bert.cli import main
from mini_bert.data.world import stories, texts, to_conllu


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(60)), 300)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, tokenizer) -> Path:
    """A folder with `model`, the one to be used, and the world as train.conllu and test.conllu."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINI_BERT_MODEL", "model")
    monkeypatch.setenv("COLUMNS", "80")
    MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size)).save(tmp_path / "model")
    tokenizer.save(tmp_path / "model")
    for name, seed in (("train", 101), ("test", 103)):
        told = [
            sentence
            for _, story in zip(range(4), stories(seed), strict=False)
            for sentence in story.sentences
        ]
        (tmp_path / f"{name}.conllu").write_text("".join(map(to_conllu, told)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(*argv: str) -> tuple[int, str, str]:
        code = main(["probe", *argv])
        return code, *capsys.readouterr()

    return run


FILES = ("--train", "train.conllu", "--test", "test.conllu")


def test_pos_on_files_of_ones_own(run):
    code, out, err = run("pos", *FILES, "--quick", "--json")
    assert code == 0, err
    figures = json.loads(out)
    assert {
        "accuracy",
        "majority",
        "random_model",
        "layer",
        "control",
        "selectivity",
        "mlp",
        "layers",
    } <= figures.keys()
    assert "mdl" not in figures


def test_relations_of_the_world_in_a_narrow_terminal(run):
    code, out, err = run("relations", "--max-sentences", "30", "--quick", "--layer", "1")
    assert code == 0, err
    assert "majority of word, head" in out
    assert "random weights, layer 1" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_column_of_ones_own_is_the_same_probe(run):
    code, out, err = run("custom", *FILES, "--column", "3", "--quick", "--json", "--layer", "0")
    assert code == 0, err
    custom = json.loads(out)
    pos = json.loads(run("pos", *FILES, "--quick", "--json", "--layer", "0")[1])
    assert {
        custom[key] == pos[key] for key in ("accuracy", "majority", "random_model", "control", "mlp")
    } == {True}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("pos", "--train", "train.conllu"), "--test is missing"),
        (("pos", *FILES, "--data", "."), "exclude each other"),
        (("pos", "--data", "nowhere"), "nowhere: no such folder"),
        (("pos", "--train", "train.conllu", "--test", "gone.conllu"), "gone.conllu"),
        (("pos", "--train", "train.conllu", "--test", "empty"), "empty: the file is empty"),
        (("pos", "--train", "train.conllu", "--test", "bare.conllu"), "bare.conllu:1: part of speech '_'"),
        (
            ("pos", "--train", "train.conllu", "--test", "odd.conllu"),
            "odd.conllu:1: label 'X' does not occur",
        ),
        (("pos", *FILES, "--layer", "9"), "layer 9: this model has 2"),
        (("pos", *FILES, "--model", "mute"), "there is no tokenizer"),
        (("custom", *FILES, "--column", "12"), "train.conllu:3: no column 12"),
        (("custom", *FILES, "--column", "4"), "train.conllu:3: no label in column 4"),
        (("custom", "--column", "4"), "no data"),
        (("entities", *FILES), "train.conllu"),
    ],
)
def test_bad_input_is_told_and_nothing_is_printed(run, folder, argv, message):
    row = "1\tOh\t_\t{}\t_\t_\t0\troot\t_\t_\n"
    (folder / "empty").write_text("", encoding="utf-8")
    (folder / "bare.conllu").write_text(row.format("_"), encoding="utf-8")
    (folder / "odd.conllu").write_text(row.format("X"), encoding="utf-8")
    MiniBERT(ModelConfig.preset("debug", vocab_size=300)).save(folder / "mute")
    code, out, err = run(*argv)
    assert code == 2
    assert not out
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "name", ["pos", "relations", "edges", "distances", "entities", "coreference", "custom"]
)
def test_help_has_examples(run, name):
    code, out, _ = run(name, "--help")
    assert code == 0
    assert f"mini-bert probe {name}" in out
