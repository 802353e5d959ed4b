"""The commands that use a model, as a user runs them."""

import gzip
import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig, WordPieceTokenizer, from_pretrained
from mini_bert.cli import main, step_study
from mini_bert.cli.models import chosen_model
from mini_bert.data.world import texts
from mini_bert.files import cache_folder
from mini_bert.inference.sentence_vectors import sentence_vectors
from mini_bert.models.config import presets
from mini_bert.models.huggingface import reading
from mini_bert.pretrained import shipped

COMMANDS = (
    ["fill-mask", "the dog is [MASK] .", "a [MASK] says [MASK] ."],
    ["embed", "the dog sleeps in the house .", "snow is cold .", "", "--neighbours"],
    ["embed", "the dog sleeps in the house .", "snow is cold ."],
    ["compare", "mini", "modern"],
    ["compare", "model", "model"],
    ["zoo"],
    ["zoo", "--settings"],
    ["info", "--model", "model"],
)


@pytest.fixture(scope="session")
def tokenizer():
    return WordPieceTokenizer.train(list(texts(60)), 300)


@pytest.fixture
def save(tokenizer):
    """Write a model and its vocabulary into a folder."""

    def save(folder, seed=0, **settings):
        model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size, **settings), seed=seed)
        model.save(folder)
        tokenizer.save(folder)
        return model

    return save


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, save):
    """Work in a folder in which `model` is the one to be used."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINI_BERT_MODEL", "model")
    save(tmp_path / "model")
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in a terminal of 80 columns: its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(argv)
        return code, *capsys.readouterr()

    return run


def no_hub(name: str) -> None:
    raise ValueError(f"{name}: no such folder")


def as_json(result: tuple[int, str, str]) -> dict:
    assert result[0] == 0, result[2]
    return json.loads(result[1])


def piped(monkeypatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))


@pytest.mark.parametrize("command", ["fill-mask", "embed", "compare", "zoo", "info"])
def test_help_has_examples(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"  mini-bert {command}" in out


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_output_fits_the_terminal_and_has_no_colour_in_a_pipe(run, argv):
    code, out, _ = run(*argv)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("argv", "remedy"),
    [
        (["fill-mask", "the dog"], "write one for each hidden word"),
        (["fill-mask", " "], "the text is empty"),
        (["fill-mask", "the [mask] sat"], "[mask] hides no word; write it in capitals: [MASK]"),
        (["fill-mask", "a [MASK]", "--model", ""], "--model is empty"),
        (["fill-mask", "a [MASK]", "--model", "."], "no model here"),
        (["embed"], 'no text; try mini-bert embed "'),
        (["embed", "", " "], 'the text is empty; try mini-bert embed "'),
        (["embed", "--file", "fake.txt.gz"], "fake.txt.gz: broken file (Not a gzipped file"),
        (["embed", "a", "--neighbours"], "give at least two"),
        (["embed", "a", "--output", "vectors.csv"], ".npy, .jsonl, .tsv"),
        (["embed", "a", "--output", "nowhere/vectors.npy"], "make it first"),
        (["embed", "a", "--layer", "9"], "choose 0, the embeddings, to 2"),
        (["embed", "--file", "no-such-file.txt"], "name a file with a text on each line"),
        (["compare", "mnii", "mini"], "did you mean 'mini'?"),
        (["compare", "debug", "mini", "--tokens", "33"], "choose from 1 to 32"),
        (["info", "--preset", "mini", "--model", "model"], "give one of them"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_explained(run, monkeypatch, argv, remedy):
    monkeypatch.setattr(reading, "downloaded", no_hub)
    Path("fake.txt.gz").write_text("the dog\n")
    code, out, err = run(*argv)
    assert code == 2
    assert remedy in " ".join(err.split())
    assert out == ""


class TestChosenModel:
    def made(self, run, save, seed, when):
        save(run / "checkpoints" / "last", seed)
        (run / "config.yaml").write_text("\nbudget:\n  steps: 1\n")
        os.utime(run / "checkpoints" / "last" / "config.json", (when, when))

    def test_named_by_the_environment(self, capsys):
        assert chosen_model(None).tokenizer is not None
        assert capsys.readouterr().err.strip() == "model: model (from $MINI_BERT_MODEL)"

    def test_a_path_is_not_told_again(self, capsys):
        chosen_model("model")
        assert capsys.readouterr().err == ""

    def test_the_best_of_the_package_whatever_was_trained_here(self, folder, monkeypatch, save, capsys):
        monkeypatch.delenv("MINI_BERT_MODEL")
        monkeypatch.setattr(shipped, "HOME", folder / "package")
        with pytest.raises(ValueError, match="mini-best: this installation lacks the model's files"):
            chosen_model(None)
        capsys.readouterr()
        best = save(folder / "package" / "mini-best", 7)
        self.made(folder / "runs" / "b", save, 8, 3000)
        assert np.array_equal(chosen_model(None).arena.flat, best.arena.flat)
        assert capsys.readouterr().err.strip() == "model: mini-best"

    def test_the_newest_run_is_called_last(self, folder, monkeypatch, save, tmp_path):
        monkeypatch.setenv("MINI_BERT_CACHE", str(tmp_path / "cache"))
        with pytest.raises(ValueError, match="has saved a checkpoint yet; begin one with `mini-bert train`"):
            chosen_model("last")

        def seed_of_last():
            weights = chosen_model("last").arena.flat
            return [
                seed
                for seed in range(7, 11)
                if np.array_equal(weights, MiniBERT(chosen_model("model").config, seed=seed).arena.flat)
            ]

        self.made(cache_folder() / "demo", save, 7, 1000)
        assert seed_of_last() == [7]
        self.made(folder / "runs" / "b", save, 8, 3000)
        self.made(folder / "runs" / "c", save, 9, 2000)
        (folder / "runs" / "d").mkdir()
        (folder / "runs" / "d" / "config.yaml").write_text("\nbudget:\n  steps: 1\n")
        assert seed_of_last() == [8]
        self.made(cache_folder() / "demo", save, 10, 4000)
        assert seed_of_last() == [10]

    def test_a_folder_with_the_name_of_a_shipped_model_is_pointed_out(
        self, folder, monkeypatch, save, capsys
    ):
        monkeypatch.setattr(shipped, "HOME", folder / "package")
        ours, theirs = save(folder / "package" / "mini", 3), save(folder / "mini", 4)
        assert np.array_equal(chosen_model("mini").arena.flat, ours.arena.flat)
        assert "the folder here is ./mini" in capsys.readouterr().err
        assert np.array_equal(chosen_model("./mini").arena.flat, theirs.arena.flat)
        assert capsys.readouterr().err == ""

    def test_the_best_checkpoint_of_a_run(self, folder, save):
        self.made(folder / "run", save, 1, 1000)
        best = save(folder / "run" / "checkpoints" / "best", 2)
        assert np.array_equal(chosen_model("run").arena.flat, best.arena.flat)

    def test_a_folder_of_transformers(self, folder):
        MiniBERT(ModelConfig.preset("debug", family="bert", vocab_size=300)).save_pretrained(folder / "hf")
        assert chosen_model("hf").config.family == "bert"


class TestFillMask:
    def test_bars_show_the_most_probable_first(self, run):
        _, out, err = run("fill-mask", "the dog is [MASK] .", "--top", "3")
        assert out.splitlines()[0] == "the dog is [MASK] ."
        shares = [float(line.split()[-2]) for line in out.splitlines() if line.endswith("%")]
        assert len(shares) == 3
        assert shares == sorted(shares, reverse=True)
        assert err.strip() == "model: model (from $MINI_BERT_MODEL)"

    def test_lines_of_standard_input(self, run, monkeypatch):
        piped(monkeypatch, "the dog is [MASK] .\n\na [MASK] says [MASK] .\n")
        found = as_json(run("fill-mask", "-", "--json"))
        assert [len(one["blanks"]) for one in found["texts"]] == [1, 2]
        assert found["texts"][1]["blanks"][1]["guesses"][0].keys() == {"word", "probability", "token"}

    def test_tells_which_of_several_texts_is_wrong(self, run):
        code, _, err = run("fill-mask", "the dog is [MASK] .", "no mask here")
        assert code == 2
        assert "'no mask here': no [MASK]" in err


class TestEmbed:
    TEXTS = ("the dog sleeps .", "snow is [cold]", "", "tab\there")

    @pytest.fixture
    def vectors(self):
        return sentence_vectors(from_pretrained("model"), self.TEXTS)

    def test_numpy(self, run, vectors):
        assert run("embed", *self.TEXTS, "--output", "v.npy")[0] == 0
        assert np.array_equal(np.load("v.npy", allow_pickle=False), vectors)

    def test_json_lines(self, run, vectors, folder):
        run("embed", *self.TEXTS, "--output", "v.jsonl")
        lines = [json.loads(line) for line in (folder / "v.jsonl").read_text("utf-8").splitlines()]
        assert [line["text"] for line in lines] == list(self.TEXTS)
        assert np.array_equal(np.float32([line["vector"] for line in lines]), vectors)

    def test_tabs(self, run, vectors, folder):
        run("embed", *self.TEXTS, "--output", "v.tsv")
        rows = [line.split("\t") for line in (folder / "v.tsv").read_text("utf-8").splitlines()]
        assert [row[0] for row in rows] == ["the dog sleeps .", "snow is [cold]", "", "tab here"]
        assert np.array_equal(np.float32([row[1:] for row in rows]), vectors)

    def test_a_row_for_each_line_of_a_file(self, run, folder):
        (folder / "lines.txt").write_bytes("the dog\r\n\r\nsnow\u2028is white\r\n".encode())
        found = as_json(run("embed", "first", "--file", "lines.txt", "--json"))
        assert [one["text"] for one in found["texts"]] == ["first", "the dog", "", "snow\u2028is white"]

    def test_a_packed_file(self, run, folder):
        (folder / "lines.txt.gz").write_bytes(gzip.compress(b"the dog\nsnow\n"))
        found = as_json(run("embed", "--file", "lines.txt.gz", "--json"))
        assert [one["text"] for one in found["texts"]] == ["the dog", "snow"]

    def test_says_where_bytes_were_replaced(self, run, folder):
        (folder / "latin.txt").write_bytes(b"the dog\nth\xe9\ncaf\xe9\n")
        code, _, err = run("embed", "--file", "latin.txt")
        assert code == 0
        assert "note: latin.txt: 2 bytes not UTF-8, the first in line 2; replaced by U+FFFD" in err

    def test_neighbours(self, run):
        found = as_json(
            run("embed", "the dog", "snow is cold", "the dog", "--neighbours", "--top", "1", "--json")
        )
        [nearest] = found["texts"][0]["neighbours"]
        assert nearest["text"] == "the dog"
        assert nearest["cosine"] == pytest.approx(1, abs=1e-5)

    @pytest.mark.parametrize("options", [(), ("--neighbours",)])
    def test_a_long_text_is_shown_on_one_line(self, run, options):
        long = "the dog sleeps\nin the house " * 20
        _, out, _ = run("embed", long, "snow is cold .", *options)
        shown = [line for line in out.splitlines() if "the dog" in line]
        assert len(shown) == len(options) + 1
        assert all("…" in line for line in shown)
        assert any("snow is cold ." in line for line in out.splitlines())

    def test_says_when_texts_are_cut(self, run):
        _, _, err = run("embed", "the dog " * 100, "snow")
        assert "note: 1 text filled all 32 tokens" in err

    @pytest.mark.parametrize("command", [("embed", "the dog"), ("fill-mask", "a [MASK] .")])
    def test_says_when_the_vocabulary_lacks_the_letters(self, run, command):
        _, _, err = run(*command, "日本 語 [MASK]")
        assert "note: 1 text mostly [UNK]" in err

    def test_options_reach_the_model(self, run):
        found = as_json(
            run("embed", "the dog", "--pooling", "first", "--normalize", "--layer", "0", "--json")
        )
        vector = np.array(found["texts"][0]["vector"])
        assert found["pooling"] == "first"
        assert vector @ vector == pytest.approx(1, rel=1e-5)
        expected = sentence_vectors(
            from_pretrained("model"), ["the dog"], pooling="first", normalize=True, layer=0
        )
        assert np.allclose(vector, expected[0])


class TestCompare:
    def test_two_presets(self, run):
        _, out, _ = run("compare", "mini", "modern")
        for words in (
            "Parameters",
            "4,501,184",
            "Settings that differ",
            "post-norm",
            "Parts that differ",
            "PreNorm",
        ):
            assert words in out
        assert "How far apart" not in out

    def test_what_is_neither_a_preset_nor_a_folder(self, run, monkeypatch):
        monkeypatch.setattr(reading, "downloaded", no_hub)
        assert "did you mean 'mini'? As a folder: mnii: no such" in run("compare", "mnii", "mini")[2]
        assert " more. As a folder: zzzz: no such" in " ".join(run("compare", "zzzz", "mini")[2].split())

    def test_a_folder_without_a_model_is_not_taken_for_a_preset(self, run, folder):
        (folder / "empty").mkdir()
        code, _, err = run("compare", "empty", "mini")
        assert code == 2
        assert "empty: no model here" in err
        assert "preset" not in err

    def test_two_folders(self, run, save, folder):
        save(folder / "other", seed=1)
        found = as_json(run("compare", "model", "other", "--json"))
        assert found["parts"] == []
        assert found["settings"] == {}
        assert found["weights"]["encoder.layers.0.ffn.up.weight"]["relative"] > 1
        assert found["models"][0]["parameters"] == found["models"][1]["parameters"]
        assert "How far apart they are" in run("compare", "model", "other")[1]

    def test_flops_are_those_of_the_tokens_asked_for(self, run):
        short, long = (
            as_json(run("compare", "mini", "modern", "--tokens", n, "--json")) for n in ("8", "16")
        )
        assert long["models"][0]["forward_flops"] > 2 * short["models"][0]["forward_flops"]


class TestZoo:
    def test_one_row_for_each_member(self, run):
        from mini_bert.models.zoo import MEMBERS

        found = as_json(run("zoo", "--json"))["members"]
        assert [one["name"] for one in found] == list(MEMBERS)
        by_name = {one["name"]: one for one in found}
        assert by_name["albert"]["settings"]["layer_groups"] == {"parent": None, "own": 1}
        assert by_name["bert"]["parameters"] == 110_106_428
        assert by_name["roberta"]["lines"]["code"] == sum(
            part["code"] for part in by_name["roberta"]["lines"]["by_part"].values()
        )


@pytest.mark.parametrize("preset", presets())
def test_info_knows_every_preset_without_making_it(run, monkeypatch, preset):
    monkeypatch.setattr(step_study, "QUICK_FLOPS", 0)
    monkeypatch.setattr(MiniBERT, "__init__", lambda *_, **__: pytest.fail("a weight was made"))
    found = as_json(run("info", "--preset", preset, "--json"))
    assert found["parameters"]["total"] == sum(found["parameters"]["by_part"].values())
    assert "other" not in found["parameters"]["by_part"]
    assert found["measured"] is None


@pytest.mark.parametrize(
    ("preset", "told"),
    [
        ("electra-mini", "5 words masked in each, all judged"),
        ("xlnet-mini", "10 words asked in each"),
        ("mini", "10 words masked in each"),
        ("gpt2-mini", "all of them answered"),
    ],
)
def test_info_asks_as_training_does(run, monkeypatch, preset, told):
    monkeypatch.setattr(step_study, "QUICK_FLOPS", 0)
    assert told in run("info", "--preset", preset)[1]


def test_info_counts_a_generator_s_answers_at_hidden_words_only(run, monkeypatch):
    monkeypatch.setattr(step_study, "QUICK_FLOPS", 0)
    found = [
        as_json(run("info", "--preset", "electra-mini", "--json", *more))
        for more in ((), ("--masked", "5"), ("--masked", "32"))
    ]
    assert found[0]["flops"] == found[1]["flops"]
    assert found[0]["flops"]["forward"] < found[2]["flops"]["forward"]


@pytest.mark.parametrize("preset", ["bert-base", "gpt2-mini"])
def test_info_measures_only_what_is_quick_and_finds_hidden_words(run, monkeypatch, preset):
    monkeypatch.setattr(MiniBERT, "__init__", lambda *_, **__: pytest.fail("a weight was made"))
    assert "Not measured" in run("info", "--preset", preset)[1]
