"""`mini-bert finetune` and `mini-bert predict`, as a user runs them."""

import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer, from_pretrained
from mini_bert.cli import main
from mini_bert.data.records import Record, digests, write_record
from mini_bert.data.world import texts

GLAD = "She smiled all day.\tglad\nHe was so happy.\tglad\n"
TRAIN = f"text\tmood\n{GLAD}It rained all day.\tsad\nThe soup was awful.\tsad\n"
PAIRS = "a\tb\tsame\nHe ate.\tHe ate soup.\tyes\nHe ate.\tIt rained.\tno\nShe sang.\tShe sang.\tyes\n"
MORE = "".join(f"Day {i} was {mood}.\t{mood}\n" for i in range(20) for mood in ("glad", "sad"))
OWN = ["finetune", "--train", "train.tsv", "--text", "text", "--label", "mood", "--json"]


@pytest.fixture(scope="session")
def tokenizer() -> WordPieceTokenizer:
    return WordPieceTokenizer.train(list(texts(60)), 300)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokenizer: WordPieceTokenizer) -> Path:
    """A folder with a model that is used where none is named, and files to learn from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINI_BERT_MODEL", "model")
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    model.save(tmp_path / "model")
    tokenizer.save(tmp_path / "model")
    (tmp_path / "train.tsv").write_text(TRAIN, "utf-8")
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    def run(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(stdin.encode())))
        code = main(list(arguments))
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err, json=lambda: json.loads(out))

    return run


def test_finetune_and_predict(run, folder) -> None:
    done = run(*OWN, "--dev", "train.tsv", "--epochs", "25", "--batch", "4", "--learning-rate", "0.005")
    assert done.code == 0, done.err
    found = done.json()
    assert found["accuracy"] == 1
    assert found["majority"] == 0.5
    assert {"bag_of_words", "random_model", "interval", "epochs", "seconds"} <= found.keys()
    assert found["output"] == os.path.join("runs", "task-1")
    assert from_pretrained(found["output"]).label_names == ("glad", "sad")

    shown = run("predict", found["output"], "He was so happy.", "It rained all day.")
    assert shown.code == 0, shown.err
    assert [line.split()[0] for line in shown.out.splitlines() if "%" in line] == [
        "glad",
        "sad",
        "sad",
        "glad",
    ]
    told = run(
        "predict", found["output"], "-", "--json", stdin="He was so happy.\n\nIt rained all day.\n"
    ).json()
    assert [one["label"] for one in told["texts"]] == ["glad", "sad"]
    assert all(sum(one["classes"].values()) == pytest.approx(1, abs=1e-6) for one in told["texts"])
    long = run("predict", found["output"], "happy " * 300)
    assert "note: 1 text longer than the model reads" in long.err


def test_the_world_needs_no_files(run, monkeypatch) -> None:
    monkeypatch.setattr("mini_bert.finetuning.sources.WORLD_SIZES", {"train": 250, "dev": 30, "test": 40})
    monkeypatch.setenv("COLUMNS", "60")
    done = run("finetune", "sentiment", "--epochs", "1", "--seeds", "3", "--output", "mood")
    assert done.code == 0, done.err
    for expected in (
        "same network, not pretrained",
        "bag of words",
        "always the most frequent",
        "median of 3",
    ):
        assert expected in done.out
    tagged = run("finetune", "ner", "--epochs", "1", "--no-baselines", "--json", "--output", "names")
    assert tagged.json()["metric"] == "f1"
    words = run("predict", "names", "Amy lives in Ostwick.", "--json").json()["texts"][0]["words"]
    assert [one["word"] for one in words] == ["Amy", "lives", "in", "Ostwick", "."]
    assert run("predict", "names", "Amy lives in Ostwick.").out.split()[0] == "Amy"


def test_rates_are_tried_and_settings_changed(run, folder, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    (folder / "more.tsv").write_text(f"text\tmood\n{MORE}", "utf-8")
    given = ["finetune", "--train", "more.tsv", "--dev", "train.tsv", "--text", "text", "--label", "mood"]
    asked = [*given, "--epochs", "1", "--seeds", "2", "--rates", "1e-3,3e-3", "--set", "pooling=mean"]
    done = run(*asked, "--set", "word_dropout=0.1", "--output", "mood")
    assert done.code == 0, done.err
    for expected in ("Learning rates, by accuracy on held-back train", "0.003", "chosen", "not pretrained"):
        assert expected in done.out
    found = run(*asked, "--at-once", "1", "--json").json()
    assert found["settings"]["pooling"] == "mean"
    assert found["sweep"]["examples"]["judged"] == 4
    assert found["settings"]["learning_rate"] == found["sweep"]["model"]["chosen"]
    assert from_pretrained("mood").config.pooled == "mean"


def test_pairs(run, folder) -> None:
    (folder / "pairs.tsv").write_text(PAIRS, "utf-8")
    files = ["--train", "pairs.tsv", "--dev", "pairs.tsv", "--test", "pairs.tsv"]
    columns = ["--text", "a", "--pair", "b", "--label", "same"]
    done = run("finetune", *files, *columns, "--epochs", "1", "--no-baselines", "--output", "same", "--json")
    assert done.json()["judged_on"] == "test"
    told = run("predict", "same", "He ate.", "--pair", "He ate bread.", "--json").json()
    assert told["texts"][0]["pair"] == "He ate bread."
    lines = "He ate bread.\n\nIt snowed.\n"
    first = ("He ate.", "", "She sang.")
    told = run("predict", "same", *first, "--pair", "-", "--json", stdin=lines).json()
    assert [one["pair"] for one in told["texts"]] == ["He ate bread.", "It snowed."]
    shown = run("predict", "same", *first, "--pair", "-", stdin=lines).out.splitlines()
    assert {"He ate bread.", "It snowed."} <= {line.strip() for line in shown}
    assert "'He ate.': the other text" in run("predict", "same", "He ate.", "--pair", " ").err
    assert "2 second texts for 1 text" in run("predict", "same", "He ate.", "--pair", "-", stdin="a\nb\n").err
    assert "was taught on pairs of texts" in run("predict", "same", "He ate.").err
    assert "1 second text for 2 texts" in run("predict", "same", "a", "b", "--pair", "c").err


def test_a_header_that_is_read_as_an_example_is_told(run, folder) -> None:
    (folder / "headless.tsv").write_text(TRAIN.partition("\n")[2], "utf-8")
    numbered = ["finetune", "--text", "0", "--label", "1", "--epochs", "1", "--no-baselines"]
    told = (
        "note: train.tsv: the class 'mood' is in the first line only; if that is a header, name the columns"
    )
    done = run(*numbered, "--train", "train.tsv", "--dev", "headless.tsv")
    assert (done.code, done.err.count("note: "), told in done.err) == (0, 1, True), done.err
    assert "note" not in run(*numbered, "--train", "headless.tsv", "--dev", "headless.tsv").err
    assert "note" not in run(*OWN, "--dev", "train.tsv", "--epochs", "1", "--no-baselines").err


def test_token_files(run, folder) -> None:
    (folder / "train.iob2").write_text("Amy B-PER\nsleeps O\n\nOstwick B-LOC\nis O\nfar O\n", "utf-8")
    (folder / "dev.iob2").write_text("Amy B-PER\nruns O\n", "utf-8")
    (folder / "odd.iob2").write_text("Amy B-PER\nruns B-ODD\n", "utf-8")
    done = run("finetune", "ner", "--train", "train.iob2", "--dev", "dev.iob2", "--epochs", "1", "--json")
    assert done.json()["word_majority"] == 1
    odd = run("finetune", "ner", "--train", "train.iob2", "--dev", "odd.iob2")
    assert (odd.code, "odd.iob2:2: type 'ODD' is outside the set" in odd.err) == (2, True)


BAD = {
    "text\tmood\nHm.\todd\n": "dev.tsv:2: label 'odd' is outside the set; choose from glad, sad",
    "text\nHm.\n": "dev.tsv:1: unknown column 'mood'",
    "text\tmood\nHm.\t\n": "dev.tsv:2: an empty text or label",
    "text\tmood\n": "dev.tsv:1: a header and nothing after it",
    "": "dev.tsv: the file is empty",
}


@pytest.mark.parametrize("content", BAD)
def test_bad_files_leave_nothing_behind(run, folder, content) -> None:
    (folder / "dev.tsv").write_text(content, "utf-8")
    done = run(*OWN, "--dev", "dev.tsv")
    assert done.code == 2
    assert BAD[content] in done.err
    assert not (folder / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["finetune"], "no task; name one of sentiment, sst2"),
        (["finetune", "sst2"], "mini-bert data get sst-2"),
        (["finetune", "cola"], "--data FOLDER"),
        (["finetune", "sentiment", "--data", "tasks"], "--data: sentiment comes from the embedded world"),
        (["finetune", "sentiment", "--max-samples", "0"], "--max-samples"),
        (["finetune", "--train", "train.tsv", "--dev", "train.tsv"], "name the columns"),
        (["finetune", "sentiment", "--rates", "1e-3;2"], "write numbers with commas between"),
        (["finetune", "sentiment", "--rates", "1e-3,-2"], "choose numbers above 0"),
        (["finetune", "sentiment", "--rates", "1,2", "--learning-rate", "1"], "leave one out"),
        (["finetune", "sentiment", "--set", "poling=mean"], "unknown setting 'poling'"),
        (["finetune", "sentiment", "--set", "pooling=max"], "pooling: Input should be 'first' or 'mean'"),
        ([*OWN, "--dev", "train.tsv", "--rates", "1e-3,1e-2"], "4 examples are too few to hold some back"),
        (["finetune", "--train", "train.tsv", "--text", "text", "--label", "mood"], "no dev file"),
        (["finetune", "sentiment", "--output", "model"], "is there already"),
        (["finetune", "sentiment", "--train", "train.tsv", "--dev", "train.tsv"], "has no files"),
        (["predict", "model", "Hm."], "fine-tune it first: mini-bert finetune"),
        (["predict", "model", " "], "the text is empty"),
    ],
)
def test_errors_say_what_to_do(run, folder, arguments, expected) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert expected in done.err
    assert "Traceback" not in done.err
    assert not (folder / "runs").exists()


def test_a_model_without_tokenizer(run, folder) -> None:
    MiniBERT("debug").save(folder / "mute")
    done = run(*OWN, "--dev", "train.tsv", "--model", "mute")
    assert done.code == 2
    assert "no tokenizer beside this model" in done.err


def test_interrupted(run, folder, monkeypatch) -> None:
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("mini_bert.finetuning.learning.Lesson.learn", interrupt)
    done = run(*OWN, "--dev", "train.tsv")
    assert done.code == 130
    assert "no model was written" in done.err
    assert not (folder / "runs").exists()


def test_downloaded_sst2_is_found(run, folder, monkeypatch) -> None:
    monkeypatch.setenv("MINI_BERT_CACHE", str(folder / "cache"))
    place = folder / "cache" / "data" / "sst-2"
    place.mkdir(parents=True)
    rows = "".join(f"a {word} film\t{label}\n" for word, label in [("fine", 1), ("bad", 0)] * 4)
    for split in ("train", "dev"):
        (place / f"{split}.tsv").write_text(f"sentence\tlabel\n{rows}", "utf-8")
    write_record(place, Record("", "", {}, digests(place, ["train.tsv", "dev.tsv"])))
    done = run("finetune", "sst2", "--epochs", "1", "--max-samples", "6", "--json")
    assert done.code == 0, done.err
    assert done.json()["examples"] == {"train": 6, "dev": 8, "test": 0}
    assert f"data: {place}" in done.err
    assert done.json()["output"] == os.path.join("runs", "sst2-1")
    (place / "dev.tsv").write_text("sentence\tlabel\na film\t1\n", "utf-8")
    assert "altered since it came" in run("finetune", "sst2").err
