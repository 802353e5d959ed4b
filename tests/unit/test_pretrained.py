"""Models by name, and what is kept of a run beside its model."""

import re
from pathlib import Path

import numpy as np
import pytest

import mini_bert
from mini_bert import MiniBERT, ModelConfig, from_pretrained
from mini_bert.models.checkpoint import save_model
from mini_bert.models.huggingface import reading
from mini_bert.pretrained import shipped
from mini_bert.pretrained.places import lasting_name, model_folder
from mini_bert.pretrained.plain_names import without_folders
from mini_bert.pretrained.rounding import rounding_of
from mini_bert.pretrained.training_record import record_of_run, spread, thinned
from mini_bert.training.config import TrainingConfig
from mini_bert.training.going_on import going_on, origin_of
from tests.unit.runs_by_hand import FACTS, held_out, line, write_run


@pytest.fixture
def saved(tokenizer):
    def saved(folder: Path, seed: int = 0) -> MiniBERT:
        model = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=seed)
        model.save(folder)
        tokenizer.save(folder)
        return model

    return saved


@pytest.fixture
def package(tmp_path, monkeypatch, saved):
    """A package with both models, and a folder to work in."""
    monkeypatch.setattr(shipped, "HOME", tmp_path / "package")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return {name: saved(tmp_path / "package" / name, seed) for seed, name in enumerate(shipped.NAMES)}


def same(a: MiniBERT, b: MiniBERT) -> bool:
    return np.array_equal(a.arena.flat, b.arena.flat)


class TestNames:
    def test_without_a_name_it_is_the_best(self, package):
        found = mini_bert.load()
        assert same(found, package["mini-best"])
        assert found.tokenizer is not None

    @pytest.mark.parametrize("name", shipped.NAMES)
    def test_by_name_through_every_door(self, package, name):
        for door in (mini_bert.load, from_pretrained):
            assert same(door(name), package[name])
        assert same(origin_of(name).model, package[name])

    def test_a_name_goes_before_a_folder_that_is_called_so(self, package, saved):
        mine = saved(Path("mini"), seed=9)
        for door in (mini_bert.load, from_pretrained):
            assert same(door("mini"), package["mini"])
            assert same(door("./mini"), mine)
            assert same(door(Path("mini")), mine)

    def test_a_path(self, package, saved):
        last = saved(Path("runs/x/checkpoints/last"), seed=5)
        assert same(mini_bert.load("runs/x"), last)
        best = saved(Path("runs/x/checkpoints/best"), seed=6)
        assert same(mini_bert.load(Path("runs/x")), best)
        assert same(mini_bert.load("runs/x/checkpoints/last"), last)
        Path("runs/x/config.yaml").write_text("\nbudget:\n  steps: 1\n")
        assert same(mini_bert.load("last"), best)

    @pytest.mark.parametrize("door", [mini_bert.load, from_pretrained])
    @pytest.mark.parametrize(("wrong", "error"), [(None, TypeError), (3, TypeError), ("", ValueError)])
    def test_what_is_no_name(self, package, door, wrong, error):
        with pytest.raises(error, match=f"{wrong!r} names no model: give 'mini' or 'mini-best', the path"):
            door(wrong)

    def test_dtype(self, package):
        assert mini_bert.load(dtype="float64").dtype == np.float64

    @pytest.mark.parametrize("wrong", ["mini-bets", "minibest", "mnii", "Mini"])
    def test_a_misspelt_name_is_not_looked_for_on_the_hub(self, package, monkeypatch, wrong):
        monkeypatch.setattr(reading, "downloaded", lambda name: pytest.fail("asked the hub"))
        for door in (mini_bert.load, from_pretrained, model_folder):
            with pytest.raises(ValueError, match=rf"{wrong}: no such folder.*did you mean 'mini"):
                door(wrong)

    def test_another_name_is_one_on_the_hub(self, package, monkeypatch, tmp_path):
        asked = []
        monkeypatch.setattr(
            reading, "downloaded", lambda name: asked.append(name) or tmp_path / "package" / "mini"
        )
        assert same(mini_bert.load("someone/bert"), package["mini"])
        assert asked == ["someone/bert"]

    def test_a_model_that_was_left_out_of_the_package(self, package, tmp_path):
        (tmp_path / "package" / "mini" / "config.json").unlink()
        with pytest.raises(ValueError, match=r"mini: this installation lacks.*install the package again"):
            mini_bert.load("mini")

    def test_training_goes_on_from_a_name(self, package):
        config = going_on(TrainingConfig.named("finetuning", {"init": "mini", "corpus": ["world:50"]}))
        assert config.init == "mini"
        assert config.model["hidden_size"] == package["mini"].config.hidden_size

    def test_a_lasting_name(self, package, tmp_path):
        assert lasting_name("mini") == "mini"
        assert lasting_name("./mini") == str(tmp_path / "here" / "mini")


class TestRecord:
    def test_paths_of_the_machine_do_not_stay(self):
        told = without_folders(
            {"a": ["/root/x/y.txt", "C:\\me\\z"], "b": "in /root/x/y.txt, ~/q/r", "c": 0.5}
        )
        assert told == {"a": ["y.txt", "z"], "b": "in y.txt, r", "c": 0.5}

    @pytest.mark.parametrize(
        "text", ["world:20000", "runs/x", "80/10/10", "https://tatoeba.org/a/b", "he / she"]
    )
    def test_other_text_does(self, text):
        assert without_folders(text) == text

    def test_a_run(self, tmp_path):
        lines = [line(step, loss=6 - step / 100) for step in range(10, 101, 10)]
        lines[4] |= held_out(5.5)
        run = write_run(
            tmp_path / "run", lines, FACTS, spent=100, corpus=[str(tmp_path / "my texts" / "a.txt")]
        )
        found = record_of_run(run, run.checkpoints / "step-00000080")
        assert found["settings"]["corpus"] == ["a.txt"]
        assert [one["step"] for one in found["log"]] == list(range(10, 81, 10))
        assert found["log"][4] == {
            "step": 50,
            "tokens": 51200,
            "seconds": 2.5,
            "loss": 5.5,
            "learning_rate": 0.001,
            "held_out_loss": 5.5,
            "held_out_accuracy": 0.3,
        }
        assert (found["steps"], found["tokens"], found["facts"]) == (80, 81920, FACTS)
        assert not found["is_finished"]
        assert str(tmp_path) not in str(found)

    @pytest.mark.parametrize("every", [1, 7, 50])
    def test_a_long_log_is_thinned_but_keeps_its_end_and_its_scores(self, every):
        lines = [
            line(step, loss=step / 100) | (held_out(4.0) if step % every == 0 else {})
            for step in range(1, 5001)
        ]
        found = thinned(lines, 400)
        assert len(found) <= 400
        assert found[-1]["step"] == 5000
        scored = sum("held_out_loss" in one for one in found)
        assert scored == min(200, 5000 // every)
        # the loss of each is the mean since the one before it
        total = sum(
            one["loss"] * (one["step"] - before)
            for one, before in zip(found, [0, *(one["step"] for one in found)], strict=False)
        )
        assert total == pytest.approx(sum(range(1, 5001)) / 100, rel=1e-4)

    def test_a_short_log_and_none_at_all(self):
        assert [one["step"] for one in thinned([line(1), line(2, loss=None)])] == [1, 2]
        assert thinned([line(2, loss=None)])[0]["loss"] is None
        assert thinned([]) == []

    def test_spread(self):
        assert spread(range(10), 4) == [0, 3, 6, 9]
        assert spread([4, 5], 4) == [4, 5]


class TestHalfPrecision:
    def test_bounded_by_the_last_bit(self):
        found = rounding_of(MiniBERT("debug"))
        assert 0 < found.largest_relative_error <= 2.0**-11
        assert found.weights == 51456

    def test_small_weights_are_counted_and_large_ones_refused(self):
        model = MiniBERT("debug")
        before = rounding_of(model).below_normal
        model.params["b_Q_0"][:3] = 1e-6
        assert rounding_of(model).below_normal == before + 3
        model.params["b_Q_0"][0] = 1e5
        with pytest.raises(ValueError, match=re.escape("holds 100000, and float16 ends at 65504")):
            rounding_of(model)

    def test_a_file_of_half_precision_is_loaded_as_single(self, tmp_path):
        model = MiniBERT("debug")
        save_model(model, tmp_path / "half", dtype=np.float16)
        again = MiniBERT.load(tmp_path / "half")
        assert again.dtype == np.float32
        assert np.array_equal(again.arena.flat, model.arena.flat.astype(np.float16).astype(np.float32))
