"""The commands, as a user runs them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mini_bert.cli import main
from mini_bert.cli.gradcheck import default_samples
from mini_bert.core import layers
from mini_bert.core.embeddings import TokenTable
from mini_bert.files import cache_folder, only_one
from mini_bert.training.trainer import Trainer

DEMO = ["demo", "--corpus", "world:600", "--out", "run"]
COMMANDS = (
    ["info"],
    ["info", "--preset", "bert-base"],
    ["gradcheck", "--samples", "2"],
    ["trace", "the dog is [MASK] ."],
    ["trace", "the dog is [MASK] .", "--preset", "modern"],
    [*DEMO, "--steps", "3"],
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in a terminal of 80 columns: its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(argv)
        return code, *capsys.readouterr()

    return run


def as_json(result: tuple[int, str, str]) -> dict:
    return json.loads(result[1])


@pytest.mark.parametrize("command", ["info", "gradcheck", "trace", "demo"])
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
        (["info", "--preset", "mnii"], "did you mean 'mini'?"),
        (["info", "--masked", "65"], "choose from 1 to 64"),
        (["info", "--batch", "0"], "0 is not in the range"),
        (["gradcheck", "--preset", "debgu"], "did you mean 'debug'?"),
        (["gradcheck", "--method", "guess"], "'complex', 'five-point'"),
        (["trace", " "], "the text is empty"),
        (["trace", "cow " * 63], "cut the text into pieces"),
        (["trace", "a cow", "--layer", "3"], "the model has layers 0 to 2"),
        (["trace", "a cow", "--mask", "pig"], "the text has no such word"),
        (["trace", "a cow", "--model", "no-such-folder"], "no such folder"),
        (["demo", "--minutes", "0"], "0.0 is not in the range"),
        (["demo", "--steps", "5", "--minutes", "1"], "steps and minutes given; choose one"),
    ],
)
def test_a_users_error_is_explained(run, argv, remedy):
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert remedy in err


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is made the POSIX way")
def test_a_reader_who_leaves_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "mini_bert", "info", "--preset", "debug"],
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writer)
    assert done.stderr == b""


class TestInfo:
    def test_counts_the_guides_model_and_explains_the_guides_count(self, run):
        words = " ".join(run("info")[1].split())
        for count in ("4,501,184", "4,487,808", "4,486,656"):
            assert count in words

    def test_says_nothing_of_the_guide_for_another_model(self, run):
        assert "guide" not in run("info", "--preset", "debug")[1]

    def test_help_names_the_models_that_come_with_the_package(self, run):
        assert "Instead of a preset: mini, mini-best," in " ".join(run("info", "--help")[1].split())

    @pytest.mark.parametrize("preset", ["debug", "mini", "modern"])
    def test_predicts_what_it_measures(self, run, preset):
        found = as_json(run("info", "--preset", preset, "--batch", "4", "--json"))
        memory, measured = found["memory"], found["measured"]
        assert measured["memory"].items() <= memory.items()
        temporaries = 1e6  # of a block of weights, which a small model is not larger than
        assert memory["sum"] <= measured["peak_bytes"] < 1.2 * memory["sum"] + temporaries

    def test_does_not_measure_what_takes_long_unless_told(self, run):
        assert "--measure" in run("info", "--preset", "bert-base")[1]
        assert as_json(run("info", "--preset", "bert-base", "--json"))["measured"] is None


class TestGradcheck:
    @pytest.mark.parametrize("method", ["complex", "five-point"])
    def test_passes(self, run, method):
        found = as_json(run("gradcheck", "--samples", "2", "--method", method, "--json"))
        assert found["passed"]
        assert found["worst"] <= found["tolerance"]
        assert [row["short"] for row in found["parameters"][:3]] == [
            "token_embeddings",
            "position_embeddings",
            "W_Q_0",
        ]

    def test_shows_where_each_weight_is_stored_if_there_is_room(self, run, monkeypatch):
        assert "ffn.up.weight" not in run("gradcheck", "--samples", "1")[1]
        monkeypatch.setenv("COLUMNS", "110")
        assert "encoder.layers.0.ffn.up.weight" in run("gradcheck", "--samples", "1")[1]

    def test_a_wrong_gradient_fails(self, run, monkeypatch):
        monkeypatch.setattr(layers, "relu_backward", lambda dy, y: dy)
        code, out, _ = run("gradcheck", "--samples", "4")
        assert code == 1
        assert "✗ FAILED" in out
        assert "by hand" in out

    def test_a_gradient_that_is_not_a_number_fails(self, run, monkeypatch):
        monkeypatch.setattr(layers, "relu_backward", lambda dy, y: dy * float("nan"))
        code, out, _ = run("gradcheck", "--samples", "1", "--json")
        assert code == 1
        assert json.loads(out)["worst"] is None

    def test_a_severed_gradient_fails(self, run, monkeypatch):
        monkeypatch.setattr(TokenTable, "backward", lambda self, dx, t: None)
        code, out, _ = run("gradcheck", "--samples", "1")
        assert code == 1
        assert "embeddings.token.weight: every gradient is zero" in " ".join(out.split())

    def test_small_models_are_checked_whole_and_large_ones_in_2000_places(self):
        assert default_samples([50_000, 49_999]) is None
        assert default_samples([100_000, 10, 10]) == 1980


class TestTrace:
    TEXT = "the dog was [MASK] ."

    def test_tells_the_forward_pass_in_order(self, run):
        found = as_json(run("trace", self.TEXT, "--preset", "debug", "--json"))
        assert found["tokens"] == ["[CLS]", "the", "dog", "was", "[MASK]", ".", "[SEP]"]
        assert list(dict.fromkeys(step["group"] for step in found["steps"])) == [
            "Embeddings",
            "Layer 0: attention",
            "Layer 0: feed-forward",
            "Layer 1: attention",
            "Layer 1: feed-forward",
            "Head",
        ]
        weights = next(step for step in found["steps"] if step["name"] == "attention_weights_1")
        assert weights["shape"] == [1, 4, 7, 7]
        assert weights["mean"] == pytest.approx(1 / 7)
        assert len(weights["entropy"]) == 4

    def test_shows_equations_and_says_that_the_weights_are_random(self, run):
        _, out, _ = run("trace", self.TEXT, "--preset", "debug")
        assert "scores_0 = Q Kᵀ / √D" in out
        assert "token_vectors = E[ids]" in out
        assert "The weights are random" in out

    def test_one_layer_alone(self, run):
        _, out, _ = run("trace", self.TEXT, "--layer", "1")
        assert "Layer 1: attention" in out
        assert "Layer 0" not in out

    def test_draws_the_steps(self, run, tmp_path):
        drawn = tmp_path / "steps.svg"
        code, _, told = run("trace", self.TEXT, "--layer", "1", "--figure", str(drawn))
        assert code == 0
        assert str(drawn) in told.replace("\n", "")
        assert "ffn_hidden_1" in drawn.read_text("utf-8")
        assert run("trace", self.TEXT, "--figure", str(tmp_path / "steps.jpg"))[0] == 2

    def test_hides_a_word_and_guesses_it(self, run):
        found = as_json(run("trace", "The dog was Good.", "--mask", "good", "--top", "3", "--json"))
        assert found["tokens"][4] == "[MASK]"
        [guesses] = found["guesses"]
        assert guesses["position"] == 4
        assert len(guesses["words"]) == 3

    def test_without_a_mask_tells_how_to_hide_a_word(self, run):
        assert "--mask WORD" in run("trace", "the cow", "--layer", "0")[1]


class TestDemo:
    SMALL = ("demo", "--corpus", "world:600")

    def test_learns_more_than_the_frequency_of_words(self, run):
        exam = as_json(run(*self.SMALL, "--steps", "100", "--json"))["exam"]
        assert exam["after"]["perplexity"] < exam["most_frequent_word"]["perplexity"]
        assert exam["before"]["perplexity"] > 300
        assert exam["neighbours"]["accuracy"] > exam["most_frequent_word"]["accuracy"] + 0.2

    def test_its_score_is_the_one_in_the_metrics_of_its_run(self, run, folder):
        found = as_json(run(*DEMO, "--steps", "3", "--json"))
        lines = (folder / "run" / "metrics.jsonl").read_text("utf-8").splitlines()
        assert json.loads(lines[-1])["held_out_accuracy"] == found["exam"]["after"]["accuracy"]

    def test_the_same_steps_give_the_same_model(self, run):
        one, two = (as_json(run(*self.SMALL, "--steps", "5", "--json")) for _ in range(2))
        for result in (one, two):
            del result["seconds"], result["tokens_per_second"]
        assert one == two
        assert as_json(run(*self.SMALL, "--steps", "5", "--seed", "1", "--json"))["clozes"] != one["clozes"]

    def test_stops_when_its_time_is_over(self, run):
        found = as_json(run(*self.SMALL, "--minutes", "0.01", "--json"))
        assert 0.6 <= found["seconds"] < 6

    def test_tells_what_it_learned_and_what_to_try_next(self, run):
        _, out, _ = run(*DEMO, "--steps", "2")
        for words in ("[MASK]", "after training", "neighbours", "mini-bert gradcheck", "mini-bert info"):
            assert words in out

    def test_leaves_a_report_and_nothing_in_the_folder_it_was_called_in(self, run, folder):
        found = as_json(run(*self.SMALL, "--steps", "2", "--json"))
        assert "<svg" in Path(found["report"]).read_text("utf-8")
        assert list(folder.iterdir()) == []

    def test_a_run_that_is_kept_is_not_overwritten(self, run):
        assert run(*DEMO, "--steps", "2")[0] == 0
        code, _, err = run(*DEMO, "--steps", "2")
        assert code == 2
        assert "holds a run already" in err

    def test_two_at_a_time_do_not_disturb_each_other(self, run):
        with only_one(cache_folder() / "demo.lock"):
            code, _, err = run(*self.SMALL, "--steps", "2")
        assert code == 2
        assert "--out" in err

    def test_an_interrupted_one_is_saved_and_can_go_on(self, run, monkeypatch):
        step = Trainer.one_step

        def interrupted_step(trainer):
            taken = step(trainer)
            if trainer.progress.spent.steps == 2:
                signal.raise_signal(signal.SIGINT)
            return taken

        with monkeypatch.context() as patch:
            patch.setattr(Trainer, "one_step", interrupted_step)
            code, out, err = run(*DEMO, "--steps", "4")
        assert code == 130
        assert "mini-bert train --resume run" in err
        assert "after training" not in out
        assert "going on from step 2" in run("train", "--resume", "run")[1]

    def test_a_saved_model_can_be_traced(self, run, tmp_path):
        folder = str(tmp_path / "model")
        assert run(*DEMO, "--steps", "2", "--save", folder)[0] == 0
        code, out, _ = run("trace", "the dog is [MASK] .", "--model", folder)
        assert code == 0
        assert "random" not in out
