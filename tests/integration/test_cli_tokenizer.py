"""`mini-bert tokenizer` and `mini-bert bench tokenizer`, as a user types them."""

import io
import json
from pathlib import Path

import pytest

from mini_bert.cli import main
from mini_bert.cli.tokenizer_explain import read
from mini_bert.tokenizers.files import load_tokenizer
from mini_bert.tokenizers.training import learn_wordpieces


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


def test_encode_learns_from_the_world_only_once(tale, capsys, monkeypatch):
    argv = ["tokenizer", "encode", "The dog.", "--ids"]
    assert main(argv) == 0
    first = capsys.readouterr().out

    def refuse(*_, **__):
        raise AssertionError("it was learned again")

    monkeypatch.setattr("mini_bert.tokenizers.wordpiece.WordPieceTokenizer.train", refuse)
    assert main(argv) == 0
    assert capsys.readouterr().out == first


def test_train_tells_what_vocab_txt_cannot_hold_and_takes_special_tokens(tale, capsys):
    argv = ["tokenizer", "train", str(tale), "--vocab-size", "60", "--cased", "--special-token", "[X]"]
    assert main([*argv, "--out", "vocab.txt", "--json"]) == 0
    assert "not what is done with case" in json.loads(capsys.readouterr().out)["warnings"][-1]
    assert main([*argv, "--out", "whole", "--json"]) == 0
    assert "case" not in "".join(json.loads(capsys.readouterr().out)["warnings"])
    assert load_tokenizer("whole").tokenize("[X]The")[0] == "[X]"


def test_explain_reads_a_corpus_bit_by_bit_and_shows_the_alphabet_of_the_trainer(tale, capsys):
    assert not isinstance(read((str(tale),)), list)
    assert main(["tokenizer", "explain", "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    learned = learn_wordpieces(explained["words"], 20)
    assert explained["alphabet"] == learned[5:]
    assert "z" in explained["alphabet"]


def test_explain_shows_the_best_cuts_of_a_word(tale, capsys):
    argv = ["tokenizer", "explain", str(tale), "--kind", "unigram", "--word", "hens", "--draws", "200"]
    assert main([*argv, "--json"]) == 0
    cuts = json.loads(capsys.readouterr().out)["words"]["hens"]
    scores = [cut["log_probability"] for cut in cuts]
    assert scores == sorted(scores, reverse=True)
    assert all("".join(cut["pieces"]) == "▁hens" for cut in cuts)
    assert 0 < cuts[0]["drawn"] <= sum(cut["drawn"] for cut in cuts) <= 200
    assert main(argv) == 0
    assert "log p = Σ log p(piece)" in capsys.readouterr().out
    assert main(["tokenizer", "explain", "--kind", "unigram"]) == 0
    assert "▁hen s" in capsys.readouterr().out


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
        (["--kind", "bpe"], "unknown kind 'bpe'; choose from wordpiece, unigram"),
        (["--kind", "unigram", "--merges", "3"], "--merges means nothing to --kind unigram"),
        (["--draws", "3"], "--draws means nothing to --kind wordpiece"),
        (["--kind", "unigram", "--text", ""], "hold no word"),
        (["--kind", "unigram", "--word", "two words"], "ask for one at a time"),
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


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["tale.txt", "--out", "tale.txt"], "tale.txt is a text that you learn from"),
        (["*.txt", "--out", "../{folder}/tale.txt"], "is a text that you learn from"),
        (["tale.txt", "--out", "poem.txt"], "poem.txt is there and not a vocabulary"),
        (["tale.txt", "--out", "notes.json"], "notes.json is there and not a vocabulary"),
        (["tale.txt", "--out", "kept"], "vocab.txt is there and not a vocabulary"),
        (["books", "--out", "books/vocabulary"], "lies within books, and would be read as text"),
        (["tale.txt", "--out", "poem.txt/x"], "poem.txt is a file, not a folder"),
        (["tale.txt", "--out", "new.txt", "--kind", "bpe"], "is not written as such a file"),
        (["tale.txt", "--out", "new.txt", "--kind", "unigram"], "is not written as such a file"),
        (["tale.txt", "--out", "new.csv"], "not written as a .csv file; save it to a folder, new, or"),
        (["tale.txt", "--out", ""], "--out is empty"),
        (["tale.txt", "--out", "kept", "--kind", "bpe"], "belongs to a tokenizer of another kind"),
    ],
)
def test_train_refuses_a_place_before_it_learns_and_overwrites_no_text(
    tale, capsys, monkeypatch, argv, message
):
    for folder in ("kept", "books"):
        Path(folder).mkdir()
    poem = "Roses are red.\n"
    for name in ("poem.txt", "notes.json", "kept/vocab.txt", "books/one.txt"):
        Path(name).write_text(poem, encoding="utf-8")
    told = tale.read_bytes()

    def refuse(*_, **__):
        raise AssertionError("it was learned")

    monkeypatch.setattr("mini_bert.cli.tokenizer_train.trainer", lambda kind, options: refuse)
    assert main(["tokenizer", "train", *(word.format(folder=tale.parent.name) for word in argv)]) == 2
    assert message in capsys.readouterr().err
    assert tale.read_bytes() == told
    for name in ("poem.txt", "notes.json", "kept/vocab.txt", "books/one.txt"):
        assert Path(name).read_text(encoding="utf-8") == poem
    assert sorted(path.name for path in Path().iterdir()) == [
        "books",
        "kept",
        "notes.json",
        "poem.txt",
        "tale.txt",
    ]


@pytest.mark.parametrize("place", ["mine", "words.txt"])
def test_train_replaces_a_vocabulary_only_if_told_to(tale, capsys, place):
    argv = ["tokenizer", "train", "tale.txt", "--out", place, "--vocab-size"]
    assert main([*argv, "60"]) == 0
    before = load_tokenizer(place).fingerprint()
    assert main([*argv, "30"]) == 2
    assert "is there already; choose another place, or --replace it" in capsys.readouterr().err
    assert load_tokenizer(place).fingerprint() == before
    assert main([*argv, "30", "--replace"]) == 0
    assert load_tokenizer(place).vocab_size == 30


@pytest.mark.parametrize("part", ["config.json", "model.safetensors", "pytorch_model-1.safetensors"])
@pytest.mark.parametrize("out", ["model", "model/tokenizer.json", "model/vocab.txt"])
@pytest.mark.parametrize("words", [[], ["--replace"]])
def test_train_never_replaces_the_vocabulary_of_a_model(tale, capsys, part, out, words):
    argv = ["tokenizer", "train", "tale.txt", "--vocab-size", "60"]
    assert main([*argv, "--out", "model"]) == 0
    Path("model", part).touch()
    before = load_tokenizer("model").fingerprint()
    assert main([*argv, "--cased", "--out", out, *words]) == 2
    assert f"{part} is a model's, which no longer loads with another vocabulary" in capsys.readouterr().err
    assert load_tokenizer("model").fingerprint() == before
    assert main([*argv, "--out", "model/mine.json"]) == 0


def test_train_replaces_a_vocabulary_also_of_another_kind(tale, capsys):
    for kind, size in (("wordpiece", "60"), ("bpe", "300"), ("wordpiece", "50"), ("unigram", "40")):
        argv = ["tokenizer", "train", "tale.txt", "--kind", kind, "--vocab-size", size, "--out", "mine"]
        assert main([*argv, "--replace", "--json"]) == 0
        assert load_tokenizer("mine").vocab_size == json.loads(capsys.readouterr().out)["vocab_size"]
    assert sorted(path.name for path in Path("mine").iterdir()) == ["tokenizer.json", "tokenizer_config.json"]


def test_train_keeps_fewer_characters_and_reads_another_field(tale, capsys):
    Path("news.jsonl").write_text('{"body": "a hen and ten hens"}\n' * 9, encoding="utf-8")
    argv = ["tokenizer", "train", "news.jsonl", "--out", "v", "--vocab-size", "14", "--text-field", "body"]
    assert main(argv) == 2
    assert "(limit_alphabet, --limit-alphabet)" in capsys.readouterr().err
    assert main([*argv, "--limit-alphabet", "2", "--json"]) == 0
    assert {piece.strip("#") for piece in load_tokenizer("v").id_to_token[5:]} <= {"e", "n", "en"}
    argv += ["--replace"]
    assert main([*argv, "--kind", "unigram", "--vocab-size", "10"]) == 2
    assert "(coverage, --coverage)" in capsys.readouterr().err
    assert main([*argv, "--kind", "unigram", "--vocab-size", "10", "--coverage", "0.3"]) == 0
    assert main([*argv, "--kind", "bpe", "--limit-alphabet", "2"]) == 2
    assert "--limit-alphabet means nothing to --kind bpe" in capsys.readouterr().err


def test_train_prints_a_command_that_can_be_pasted(tale, capsys, monkeypatch):
    assert main(["tokenizer", "train", "tale.txt", "--out", "my words", "--vocab-size", "60"]) == 0
    pasted = capsys.readouterr().out.rpartition("--tokenizer ")[2].strip()
    assert pasted in ("'my words'", '"my words"')


def test_encode_shows_the_right_text_of_a_pair_without_segments(tale, capsys):
    main(["tokenizer", "train", "tale.txt", "--kind", "bpe", "--vocab-size", "300", "--out", "bytes"])
    capsys.readouterr()
    argv = ["tokenizer", "encode", "xyz", "--pair", "hens run", "--tokenizer", "bytes"]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["type_ids"]) == {0}
    assert found["sequence_ids"] == [None, 0, 0, 0, None, None, 1, 1, 1, None]
    assert main(argv) == 0
    shown = capsys.readouterr().out
    assert [line.split()[2] for line in shown.splitlines() if "Ġrun" in line] == ["run"]
    assert "3 words, 6 pieces: 2.00 pieces a word" in shown


def test_encode_reads_bytes_that_are_not_utf8_and_leaves_the_mark_out(tale, capsys, monkeypatch):
    argv = ["tokenizer", "encode", "-", "--json"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfThe \xff\xe9 dog.")))
    assert main(argv) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["text"] == "The \ufffd\ufffd dog."
    assert "note: 2 bytes not UTF-8, replaced by U+FFFD" in shown.err
    assert main(["tokenizer", "encode", "The \udcff dog", "--pair", "\ud83d", "--json"]) == 0
    shown = capsys.readouterr()
    assert r"\ud83d" not in shown.out.lower()
    assert json.loads(shown.out)["text"] == "The \ufffd dog"
    assert "note: 2 bytes" in shown.err


def test_encode_gives_ids_the_fast_way_or_json_but_not_both(tale, capsys, monkeypatch):
    assert main(["tokenizer", "encode", "The dog.", "--ids", "--json"]) == 2
    assert "--ids and --json" in capsys.readouterr().err
    monkeypatch.setattr("mini_bert.tokenizers.tokenizer.Tokenizer.encoding", None)
    assert main(["tokenizer", "encode", "The dog.", "--ids", "--no-special-tokens"]) == 0
    assert len(capsys.readouterr().out.split()) == 3


def test_one_is_not_many(tale, capsys):
    assert main(["tokenizer", "encode", "dog", "--no-special-tokens"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("1 piece (")
    assert "1 word, 1 piece: 1.00" in shown


@pytest.mark.parametrize("columns", ["20", "30", "40", "80"])
@pytest.mark.parametrize(
    ("argv", "first"),
    [
        (["encode", "The dog was " + "x" * 200], ["[CLS]", "the", "[UNK]"]),
        (["explain", "--criterion", "likelihood"], ["##uiz", "quiz", "ten"]),
        (["explain", "--kind", "unigram", "--text", "hen hens ten " * 9], ["hens", "hen", "ten"]),
    ],
)
def test_a_narrow_table_keeps_its_first_column(tale, capsys, monkeypatch, columns, argv, first):
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["tokenizer", *argv]) == 0
    rows = capsys.readouterr().out.partition("─")[2].splitlines()
    shown = [row.split()[0] for row in rows if row.split()]
    assert set(first) <= set(shown)
    if columns == "80" and argv[0] == "encode":
        assert any(row.split()[:2] == ["[UNK]", "1"] and "…" in row and "12-212" in row for row in rows)


def test_a_narrow_table_says_what_it_leaves_out(tale, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["tokenizer", "encode", "The dog."]) == 0
    assert "no room here for: segment" in capsys.readouterr().out


def test_explain_takes_case_rarity_and_units(tale, capsys, monkeypatch):
    assert main(["tokenizer", "explain", "--text", "Hen hen hen", "--cased", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"] == {"hen": 2, "Hen": 1}
    assert main(["tokenizer", "explain", "--min-frequency", "5"]) == 0
    assert "After 2 merges no pair is left that is seen 5 times" in capsys.readouterr().out
    assert main(["tokenizer", "explain", "--text", "ab ab"]) == 0
    assert "After 1 merge every word is one piece" in capsys.readouterr().out
    assert main(["tokenizer", "explain", "tale.txt", "--unit", "page"]) == 2
    assert "unknown unit 'page'" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one two")))
    assert main(["tokenizer", "explain", "-", "--unit", "line", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"] == {"one": 1, "two": 1}


def test_train_wants_room_for_more_than_special_tokens(tale, capsys):
    assert main(["tokenizer", "train", "tale.txt", "--out", "x", "--vocab-size", "5"]) == 2
    assert "x>=6" in capsys.readouterr().err


def test_an_interrupt_is_told(tale, capsys, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mini_bert.cli.tokenizer_encode.load_tokenizer", stop)
    assert main(["tokenizer", "encode", "x", "--tokenizer", "any"]) == 130
    assert capsys.readouterr().err.split() == ["interrupted"]
