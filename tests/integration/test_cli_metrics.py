"""`mini-bert metrics`, as a user runs it."""

import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer
from mini_bert.cli import main
from mini_bert.data.world import texts
from mini_bert.evaluation.intrinsic import exam, self_test
from mini_bert.evaluation.intrinsic.exam_text import world_text

FEW = ("--max-rows", "12", "--sentences", "4")
BASELINES = ("neighbours", "unigram", "random_weights")
DATA = os.environ.get("MINI_BERT_DATA")


@pytest.fixture(scope="session")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(60)), 300)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, tokenizer):
    """Work in a folder with a model and a text; the embedded world is small."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("MINI_BERT_MODEL", "model")
    monkeypatch.setattr(exam, "world_text", lambda counted_stories: world_text(20, 40))
    save(tmp_path / "model", tokenizer)
    (tmp_path / "my.txt").write_text("\n\n".join(texts(30, 7)), "utf-8")
    return tmp_path


def save(place, tokenizer, **settings):
    MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **settings)).save(place)
    tokenizer.save(place)


@pytest.fixture
def run(capsys):
    def run(*argv):
        code = main(["metrics", *argv])
        return code, *capsys.readouterr()

    return run


def test_a_text_as_json(run):
    code, out, _ = run("--text", "my.txt", "--json", *FEW)
    assert code == 0
    found = json.loads(out)
    assert found["rows"] == 12
    assert found["questions"] == 60
    assert found["asked_share"] == 60 / (12 * 32)
    assert found["text"] == "my.txt"
    assert found["counted_in"] == "each half of this text for the questions of the other half"
    assert 0 <= found["masked_accuracy"] <= found["top5_accuracy"] <= 1
    assert 250 < found["perplexity"] < 350  # random weights among 300 pieces
    assert 250 < found["pseudo_perplexity"] < 350
    assert 0 <= found["calibration_error"] <= 1
    assert found["baselines"].keys() == {"most_frequent_word", "neighbours", "unigram", "random_weights"}
    assert "by_part_of_speech" not in found


def test_the_same_seed_gives_the_same_figures_and_another_one_others(run):
    first, again, other = (
        json.loads(run("--text", "my.txt", "--json", "--seed", seed, *FEW)[1]) for seed in ("1", "1", "2")
    )
    assert first == again
    assert first["loss"] != other["loss"]


def test_the_world_in_a_narrow_terminal_with_all_that_can_be_asked(run):
    code, out, err = run("--overfit-one-batch", "--gradients", *FEW)
    assert code == 0
    assert "model: model" in err
    titles = ("Hidden words", "Calibration", "Pseudo-perplexity of sentences", "One batch by heart")
    for title in (*titles, "Gradient health", "By part of speech", "NOUN"):
        assert title in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"", "empty.txt: no text in it"),
        ("binary.txt", bytes(range(256)) * 20, "binary.txt: not UTF-8 text"),
        ("short.txt", b"The dog sleeps.", "needs 2 rows of 30 at least; give more text"),
        ("text.doc", b"The dog sleeps.", "text.doc: not a .txt or .jsonl file"),
        ("unknown.txt", "λόγος ".encode() * 200, "no words in it that the vocabulary knows"),
        (None, b"", "missing.txt: no such file"),
    ],
)
def test_text_that_cannot_be_asked_about(run, folder, name, content, message):
    if name:
        (folder / name).write_bytes(content)
    code, out, err = run("--text", name or "missing.txt", *FEW)
    assert code == 2
    assert message in err
    assert out == ""


def test_models_and_folders_that_do_not_fit(run, folder, tokenizer):
    save(folder / "classes", tokenizer, head="classes")
    code, _, err = run("--model", "classes", "--text", "my.txt")
    assert code == 2
    assert "this model tells a class of the whole text, and no words" in err
    (folder / "tasks" / "sst2").mkdir(parents=True)
    code, _, err = run("--data", "tasks")
    assert code == 2
    assert "there is no ud_ewt/dev.conllu" in err
    code, _, err = run("--data", "tasks", "--text", "my.txt")
    assert code == 2
    assert "choose one" in err


def test_known_answers_need_no_model_and_a_wrong_one_is_a_failure(run, monkeypatch):
    monkeypatch.delenv("MINI_BERT_MODEL")
    code, out, _ = run("--test")
    assert code == 0
    assert "masked_accuracy: says word 0 four times" in " ".join(out.split())
    monkeypatch.setattr(self_test, "compute_gradient_norm", lambda gradients: 7.0)
    code, out, _ = run("--test", "--json")
    assert code == 1
    assert [one["metric"] for one in json.loads(out)["checks"] if not one["passed"]] == [
        "compute_gradient_norm"
    ]


def several(folder):
    (folder / "long").mkdir()
    for number, count in enumerate((10, 20, 15)):
        text = "\n\n".join(texts(count, 8 + number)).encode()
        place = folder / "long" / f"{number}.txt.gz"
        place.write_bytes(gzip.compress(text))


def test_several_texts_by_themselves_and_together(run, folder):
    several(folder)
    asked = ("--text", "long/*.gz", "--text", "long/1.txt.gz", "--counts-from", "my.txt", *FEW)
    code, out, err = run(*asked, "--json", "--disguise", "bert")
    assert code == 0, err
    found = json.loads(out)
    assert [one["text"] for one in found["texts"]] == ["0.txt.gz", "1.txt.gz", "2.txt.gz"]
    (counted_in,) = {one["counted_in"] for one in found["texts"]}
    assert re.fullmatch(r"my\.txt, [0-9,]+ tokens with \[CLS\] and \[SEP\]", counted_in)
    overall, shares = found["overall"], found["overall"]["shares"]
    assert sum(shares.values()) == pytest.approx(1)
    assert max(shares, key=shares.get) == "1.txt.gz"
    for figures in ((lambda one: one), (lambda one: one["berts_disguise"])):
        for who in ((lambda one: one), *(lambda one, key=key: one["baselines"][key] for key in BASELINES)):
            mean = sum(shares[one["text"]] * who(figures(one))["loss"] for one in found["texts"])
            assert who(figures(overall))["loss"] == pytest.approx(mean)
            assert who(figures(overall))["perplexity"] == pytest.approx(np.exp(mean))
    code, out, _ = run(*asked)
    assert code == 0
    assert "Hidden words: 2.txt.gz" in out
    assert "all, by length" in out
    assert "80 %" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_baselines_that_counted_the_text_itself_are_told(run, folder):
    (folder / "other.txt").write_text("\n\n".join(texts(10, 9)), "utf-8")
    very = "The baselines have counted this very text"
    asked = ("--text", "my.txt", "--counts-from", "other.txt", *FEW)
    assert very not in " ".join(run(*asked)[1].split())
    code, out, err = run(*asked, "--counts-from", "./model/../my.txt")
    assert code == 0, err
    assert very in " ".join(out.split())
    code, out, err = run("--text", "my.txt", "--counts-from", "my.txt", *FEW, "--json")
    assert code == 0
    assert json.loads(out)["text"] == "my.txt"
    assert f"note: my.txt: {very}" in " ".join(err.split())


def test_a_row_for_each_document(run, folder):
    sentences = "\n\n".join(sentence for text in texts(6) for sentence in text.split(". "))
    (folder / "sentences.txt").write_text(sentences, "utf-8")
    code, out, err = run("--text", "sentences.txt", "--layout", "documents", *FEW, "--disguise", "bert")
    assert code == 0, err
    assert "12 documents, each in a row of its own of at most 32 tokens" in " ".join(out.split())
    assert "as most papers hide them" in " ".join(out.split())
    found = json.loads(run("--text", "sentences.txt", "--layout", "documents", *FEW, "--json")[1])
    assert found["layout"] == "documents"
    assert 0.08 < found["asked_share"] < 0.25


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--counts-from", "my.txt"], "name them too, --text FILE"),
        (["--text", "my.txt", "--counts-from", "none.txt"], "none.txt: no such file"),
        (["--text", "my.txt", "--counts-from", "none"], "none: no such file or folder (seen from"),
        (["--text", "*.md"], "it matches no file"),
        (["--text", "my.txt", "--text", "model/../other.txt", "--gradients"], "name a single --text"),
    ],
)
def test_texts_that_do_not_go_together(run, folder, arguments, message):
    (folder / "other.txt").write_text("\n\n".join(texts(10, 9)), "utf-8")
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err


@pytest.mark.skipif(not DATA, reason="MINI_BERT_DATA is not set: no treebank to hide words in")
def test_a_real_treebank_tells_parts_of_speech(run):
    code, out, _ = run("--data", str(Path(DATA or "") / "tasks"), "--json", *FEW)
    found = json.loads(out)
    assert code == 0
    groups = found["by_part_of_speech"]
    assert sum(one["words"] for one in groups.values()) == found["questions"]
    assert "NOUN" in groups
