"""`mini-bert tokenizer` and `mini-bert bench tokenizer`, as a user types them."""

import json
from pathlib import Path

import pytest

from mini_bert.cli import main
from mini_bert.tokenizers.files import load_tokenizer


@pytest.fixture
def tale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINI_BERT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "tale.txt"
    path.write_text("A hen and ten hens.\n\nThe hens run.\n" * 20, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([], "WordPieceTokenizer"),
        (["--criterion", "likelihood", "--min-frequency", "2", "--cased"], "WordPieceTokenizer"),
        (["--kind", "bpe", "--vocab-size", "300", "--min-frequency", "2"], "ByteLevelBPETokenizer"),
        (["--kind", "unigram"], "UnigramTokenizer"),
    ],
)
def test_train_saves_a_tokenizer_that_encodes(tale, capsys, options, kind):
    assert (
        main(
            ["tokenizer", "train", str(tale), "--out", "vocabulary", "--vocab-size", "60", *options, "--json"]
        )
        == 0
    )
    summary = json.loads(capsys.readouterr().out)
    tokenizer = load_tokenizer("vocabulary")
    assert type(tokenizer).__name__ == kind
    assert summary["vocab_size"] == tokenizer.vocab_size
    assert main(["tokenizer", "encode", "Ten hens run.", "--tokenizer", "vocabulary", "--ids"]) == 0
    assert list(map(int, capsys.readouterr().out.split())) == tokenizer.encode("Ten hens run.")


def test_train_says_when_the_text_is_exhausted(tale, capsys):
    assert main(["tokenizer", "train", str(tale), "--out", "vocab.txt", "--vocab-size", "5000"]) == 0
    shown = capsys.readouterr().out
    assert "note: the text has pieces for only" in shown
    assert "of vocab_size=5,000" in shown
    assert Path("vocab.txt").is_file()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["missing.txt", "--out", "x"], "missing.txt: no such file or folder"),
        (
            ["tale.txt", "--out", "x", "--kind", "unigramm"],
            "unknown kind 'unigramm'; did you mean 'unigram'?",
        ),
        (["tale.txt", "--out", "x", "--kind", "bpe", "--cased"], "--cased means nothing to --kind bpe"),
        (["tale.txt", "--out", "x", "--criterion", "odd"], "unknown criterion 'odd'"),
        (["tale.txt", "--out", "x", "--vocab-size", "7"], "vocab_size=7 is too small"),
        (["tale.txt", "--out", "x.pkl"], "never a pickle"),
        (["empty.txt", "--out", "x"], "empty.txt: no text in it"),
    ],
)
def test_train_refuses_with_the_remedy(tale, capsys, argv, message):
    Path("empty.txt").touch()
    assert main(["tokenizer", "train", *argv]) == 2
    assert message in capsys.readouterr().err
    assert not Path("x").exists()


def test_encode_shows_places_and_segments(tale, capsys):
    main(["tokenizer", "train", str(tale), "--out", "vocabulary", "--vocab-size", "60"])
    capsys.readouterr()
    argv = ["tokenizer", "encode", "Ten hens", "--pair", "[MASK] run", "--tokenizer", "vocabulary"]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tokens"] == ["[CLS]", "ten", "hens", "[SEP]", "[MASK]", "run", "[SEP]"]
    assert found["offsets"] == [[0, 0], [0, 3], [4, 8], [0, 0], [0, 6], [7, 10], [0, 0]]
    assert found["type_ids"] == [0, 0, 0, 0, 1, 1, 1]
    assert main(argv) == 0
    shown = capsys.readouterr().out
    assert "7 pieces" in shown
    assert "4 words, 4 pieces: 1.00 pieces a word" in shown


def test_encode_without_a_vocabulary_learns_one_from_the_world(tale, capsys):
    assert main(["tokenizer", "encode", "The dog was here.", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == [
        "[CLS]",
        "the",
        "dog",
        "was",
        "here",
        ".",
        "[SEP]",
    ]


def test_explain_shows_each_merge_with_its_score(tale, capsys):
    assert main(["tokenizer", "explain", "--criterion", "likelihood"]) == 0
    shown = capsys.readouterr().out
    assert "##e + ##n" in shown
    assert "10 / (10 · 10) = 0.1" in shown
    assert "nothing is left to merge" in shown
    assert main(["tokenizer", "explain", str(tale), "--merges", "3", "--json"]) == 0
    merges = json.loads(capsys.readouterr().out)["merges"]
    assert [merge["step"] for merge in merges] == [1, 2, 3]
    assert merges[0]["piece"] == "##en"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--text", ""], "there is no word in the text"),
        (["tale.txt", "--text", "x"], "two texts; give one of them"),
        (["--criterion", "odd"], "unknown criterion 'odd'"),
    ],
)
def test_explain_refuses_with_the_remedy(tale, capsys, argv, message):
    assert main(["tokenizer", "explain", *argv]) == 2
    assert message in capsys.readouterr().err


def test_bench_times_encoding_and_learning(tale, capsys):
    assert (
        main(
            [
                "bench",
                "tokenizer",
                "world:1000",
                "--mb",
                "0.1",
                "--rounds",
                "1",
                "--vocab-size",
                "1000",
                "--json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["encode"]["Mini-BERT encode_batch"]["times_ours"] == 1
    assert found["train"]["Mini-BERT train"]["seconds"] > 0
