"""`mini-bert generate`, as a user types it."""

import io
import json
from types import SimpleNamespace

import pytest

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer, save_pretrained
from mini_bert.cli import generate as generate_command
from mini_bert.cli import main
from mini_bert.data.world import texts


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(60)), 300)


@pytest.fixture(autouse=True)
def writer(tokenizer, tmp_path, monkeypatch):
    """A model that has learned nothing, in the folder `writer`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINI_BERT_MODEL", raising=False)
    sizes = {"vocab_size": 300, "hidden_size": 32, "intermediate_size": 64, "max_seq_length": 32}
    model = MiniBERT(ModelConfig.preset("gpt2-mini", **sizes))
    model.tokenizer = tokenizer
    save_pretrained(model, "writer")
    return model


def written(capsys, *args):
    assert main(["generate", *args, "--model", "writer"]) == 0
    return capsys.readouterr().out


def test_a_prompt_goes_on(capsys, writer):
    assert written(capsys, "the cat", "--seed", "3") == writer.generate("the cat", seed=3) + "\n"


def test_the_choices_are_those_of_python(capsys, writer):
    chosen = {"max_new_tokens": 25, "temperature": 0.7, "top_k": 20, "top_p": 0.9, "seed": 2}
    options = ["--tokens", "25", "--temperature", "0.7", "--top-k", "20", "--top-p", "0.9", "--seed", "2"]
    assert written(capsys, "a dog", *options) == writer.generate("a dog", **chosen) + "\n"
    assert written(capsys, "a dog", "--greedy") == writer.generate("a dog", greedy=True) + "\n"


def test_it_is_shown_as_it_comes(monkeypatch, writer):
    shown = []
    monkeypatch.setattr(
        generate_command.click, "echo", lambda text="", nl=True, err=False: shown.append(text)
    )
    assert main(["generate", "the cat", "--model", "writer", "--tokens", "12"]) == 0
    assert shown[0] == "the cat"
    assert len(shown) > 8
    assert "".join(shown) == writer.generate("the cat", max_new_tokens=12)


def test_several_texts_are_several(capsys, writer):
    expected = writer.generate(["the cat"] * 3, seed=5)
    assert len(set(expected)) == 3
    shown = written(capsys, "the cat", "--count", "3", "--seed", "5")
    assert shown == "\n\n".join(f"{i + 1}. {text}" for i, text in enumerate(expected)) + "\n"


def test_json(capsys, writer):
    told = json.loads(written(capsys, "the cat", "--count", "2", "--top-k", "9", "--json"))
    assert told["prompt"] == "the cat"
    assert told["texts"] == writer.generate(["the cat"] * 2, top_k=9)
    assert (told["top_k"], told["seed"], told["greedy"]) == (9, 0, False)


def test_a_prompt_from_standard_input_or_none(capsys, monkeypatch, writer):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"the cat\n")))
    assert written(capsys, "-") == writer.generate("the cat") + "\n"
    assert written(capsys) == writer.generate("") + "\n"


def test_a_model_of_ours_and_the_variable(capsys, writer, monkeypatch, tokenizer):
    writer.save("ours")
    tokenizer.save("ours")
    monkeypatch.setenv("MINI_BERT_MODEL", "ours")
    assert main(["generate", "the cat"]) == 0
    assert capsys.readouterr().out == writer.generate("the cat") + "\n"


def test_a_terminal_is_not_told_what_it_might_obey():
    assert generate_command.harmless("a\x1b[2Jb\x07\tc\nd\x85") == "a\ufffd[2Jb\ufffd\tc\nd\ufffd"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--temperature", "0"], "temperature 0.0: choose a number above 0; greedy=True (--greedy)"),
        (["--top-k", "0"], "top_k 0: at least 1 token must remain"),
        (["--top-p", "1.2"], "top_p 1.2: choose a share"),
        (["--greedy", "--top-p", "0.5"], "greedy takes the likeliest token"),
        (["--greedy", "--count", "2"], "--greedy writes one text, not 2"),
        (["--tokens", "0"], "'--tokens': 0 is not in the range x>=1"),
        (["--model", "nowhere/at/all"], "nowhere/at/all: no such folder"),
    ],
)
def test_bad_choices(capsys, argv, message):
    assert main(["generate", "the cat", "--model", "writer", *argv]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""


def test_a_model_that_fills_gaps_is_refused(capsys, tokenizer):
    model = MiniBERT(ModelConfig.preset("debug", vocab_size=300))
    model.save("bert")
    tokenizer.save("bert")
    assert main(["generate", "the cat", "--model", "bert"]) == 2
    told = capsys.readouterr()
    assert "bert: this model sees the whole text at once" in told.err
    assert "mini-bert fill-mask" in told.err
    assert told.out == ""


def test_a_shipped_model_is_refused_by_its_name(capsys):
    assert main(["generate", "the cat", "--model", "mini-best"]) == 2
    assert "mini-best: this model sees the whole text at once" in (told := capsys.readouterr().err)
    assert "pretrained" not in told


def test_without_a_model_it_is_told_how_to_get_one(capsys):
    assert main(["generate", "the cat"]) == 2
    told = capsys.readouterr()
    assert "mini-bert train --preset gpt2-mini --out runs/writer" in told.err
    assert told.out == ""
