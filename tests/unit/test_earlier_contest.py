"""A network without pretraining that was trained beside other weights is the one that would be trained anew."""

import io
import json
import shutil
from contextlib import redirect_stdout

import pytest

from mini_bert import MiniBERT, ModelConfig
from mini_bert.cli import main
from mini_bert.pretrained.card_results import contest_told
from mini_bert.pretrained.packing import pack
from mini_bert.tokenizers import WordPieceTokenizer

FILES = ["--train", "train.tsv", "--dev", "train.tsv", "--text", "text", "--label", "mood"]
ARGV = ["finetune", *FILES, "--json", "--epochs", "1", "--batch", "4", "--seeds", "2", "--rates", "1e-3,5e-3"]
TRAIN = "text\tmood\n" + "".join(
    f"The {noun} was {mood} on day {day}.\t{mood}\n"
    for day, noun in enumerate(["dog", "cat", "house", "soup", "garden", "letter"])
    for mood in ("happy", "sad")
)
SHARED = ("random_model", "random_model_by_seed")


@pytest.fixture(scope="module")
def models(tmp_path_factory, tokenizer):
    """Two models of one network, the first packed with the contest it was in."""
    folder = tmp_path_factory.mktemp("models")
    for name, seed in {"first": 0, "second": 1}.items():
        model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=seed)
        model.tokenizer = tokenizer
        model.save(folder / name)
    (folder / "train.tsv").write_text(TRAIN, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        figures = run_of("first", "--output", "tuned-first")
        (folder / "moods.json").write_text(json.dumps(figures))
        pack("first", "packed", results=[folder / "moods.json"], most_rows=4)
    return folder


def run_of(model: str, *more: str) -> dict:
    with redirect_stdout(io.StringIO()) as out:
        assert main([*ARGV, "--model", model, *more]) == 0
    return json.loads(out.getvalue())


@pytest.fixture
def folder(models, tmp_path, monkeypatch):
    shutil.copytree(models, tmp_path / "models")
    monkeypatch.chdir(tmp_path / "models")
    return tmp_path / "models"


def test_it_is_what_would_be_trained_anew(folder):
    anew = run_of("second", "--output", "anew")
    shared = run_of("second", "--output", "shared", "--untrained-from", "packed")
    packed_with = json.loads((folder / "moods.json").read_text("utf-8"))
    assert shared.pop("untrained_beside") == packed_with["weights"] != shared["weights"]
    changing = {"seconds", "output"}
    assert {key: value for key, value in shared.items() if key not in changing} == {
        key: value for key, value in anew.items() if key not in changing
    }
    assert all(shared[key] == packed_with[key] for key in SHARED)


def test_the_card_says_so(folder):
    shared = run_of("second", "--output", "shared", "--untrained-from", "packed")
    told = " ".join(contest_told(shared).split())
    assert "was measured before, beside earlier weights of this one" in told
    assert "same network, not pretrained" in told
    del shared["untrained_beside"]
    assert "measured before" not in contest_told(shared)


def test_the_table_has_it(folder, capsys):
    argv = [word for word in ARGV if word != "--json"]
    assert main([*argv, "--model", "second", "--output", "shared", "--untrained-from", "packed"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "was trained in an earlier contest" in out
    assert "bag of words, logistic regression" in out
    assert out.count("without pretraining") >= 2


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--seeds", "3"], "had seeds 2, and this contest has 3"),
        (["--rates", "1e-3,2e-3"], "had rates [0.001, 0.005], and this contest has [0.001, 0.002]"),
        (["--epochs", "2"], "had epochs 1, and this contest has 2"),
        (["--set", "pooling=first"], "had pooling mean, and this contest has first"),
        (["--max-samples", "8"], "had examples {'train': 12"),
        (["--no-baselines"], "--no-baselines and --untrained-from"),
        (["--untrained-from", "second"], "second: was not packed with a network without pretraining on task"),
        (["--untrained-from", "nowhere"], "nowhere: no model here"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_that_of_another_contest_is_refused(folder, capsys, more, told):
    argv = [*ARGV, "--model", "second", "--output", "shared", "--untrained-from", "packed", *more]
    assert main(argv) == 2
    assert told in capsys.readouterr().err
    assert not (folder / "shared").exists()


def test_that_of_another_network_or_vocabulary_is_refused(folder, tokenizer, capsys):
    argv = [*ARGV, "--output", "shared", "--untrained-from", "packed", "--model"]
    other = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, residual="pre-norm"))
    other.tokenizer = tokenizer
    other.save(folder / "other-network")
    assert main([*argv, "other-network"]) == 2
    assert "packed: has another network than this model" in capsys.readouterr().err
    same = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size))
    same.tokenizer = WordPieceTokenizer(list(tokenizer.id_to_token[:5]) + list(tokenizer.id_to_token[:4:-1]))
    same.save(folder / "other-vocabulary")
    assert main([*argv, "other-vocabulary"]) == 2
    assert "packed: has another vocabulary than this model" in capsys.readouterr().err
