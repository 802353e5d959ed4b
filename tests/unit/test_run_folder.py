"""The folder of a run that cannot begin or go on: what was there before stays, and what is wrong is said."""

import shutil

import pytest
import yaml

from mini_bert import TrainingConfig, new_run, resumed_run
from mini_bert.training import run_folder
from mini_bert.training.cluster import beginning
from mini_bert.training.run_folder import RunFolder


def begin(folder, **changes):
    with new_run(TrainingConfig.named("debugging", {"corpus": ["world:20"], **changes}), folder):
        raise AssertionError("it has begun")


def names(folder):
    return sorted(place.name for place in folder.iterdir())


def test_another_run_that_begins_at_the_same_time_keeps_its_files(tmp_path, monkeypatch):
    first = RunFolder(tmp_path / "run")

    def begin_first(_):
        if not first.is_run:
            first.create({"seed": 1})
            first.tokenizer.mkdir()

    with first.alone():
        monkeypatch.setattr(run_folder, "PATIENCE", 0.1)
        monkeypatch.setattr(run_folder.time, "sleep", begin_first)
        with pytest.raises(ValueError, match="another process is training here"):
            begin(first.path)
        assert names(first.path) == [".lock", "config.yaml", "tokenizer"]
        assert first.is_running
    assert first.settings() == {"seed": 1}


def test_to_ask_whether_a_run_is_running_leaves_nothing_behind(tmp_path):
    assert not RunFolder(tmp_path).is_running
    assert names(tmp_path) == []


def test_what_lay_there_before_stays(tmp_path):
    (tmp_path / "tokenizer").mkdir()
    (tmp_path / "tokenizer" / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(ValueError, match="wrold"):
        begin(tmp_path, corpus=["wrold"])
    assert names(tmp_path) == ["tokenizer"]
    assert names(tmp_path / "tokenizer") == ["notes.txt"]


def test_a_folder_that_was_not_there_is_gone_again(tmp_path):
    with pytest.raises(ValueError, match="wrold"):
        begin(tmp_path / "run", corpus=["wrold"])
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"optimizer": {"kind": "sophia"}, "distillation": {"teacher": "mini"}}, "sophia: its curvature"),
        ({"model": {"causal": True}, "masking": {"adaptive": True}}, "no share of gaps to adapt"),
        ({"model": {"causal": True}, "second_task": {"kind": "token-order"}}, "has no second task"),
        ({"model": {"head": "tags"}}, "pretraining asks for words"),
    ],
    ids=["optimizer", "masking", "second task", "head"],
)
def test_what_cannot_be_learned_is_refused_before_any_text_is_read(tmp_path, monkeypatch, changes, message):
    monkeypatch.setattr(beginning, "materials", lambda *_: pytest.fail("the text was read"))
    with pytest.raises(ValueError, match=message):
        begin(tmp_path / "run", **changes)
    assert names(tmp_path) == []


def test_checkpoints_without_settings_are_no_place_for_a_run(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    with pytest.raises(ValueError, match=r"checkpoints of a run without its config\.yaml; restore that"):
        begin(tmp_path)
    assert names(tmp_path) == ["checkpoints"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return short_run(tmp_path_factory.mktemp("runs") / "run")


def short_run(folder):
    changes = {"corpus": ["world:60"], "model": {"vocab_size": 200}, "budget": {"steps": 1}, "workers": 1}
    with new_run(TrainingConfig.named("debugging", changes), folder) as trainer:
        trainer.run()
    return RunFolder(folder)


@pytest.mark.parametrize(
    ("changes", "needed"),
    [({"optimizer": {"kind": "sgd"}}, "velocity"), ({"averaging": {"kind": "ema"}}, "ema, m, v")],
    ids=["optimizer", "averaging"],
)
def test_moments_of_other_settings_are_refused_with_the_remedy(finished, changes, needed):
    settings = finished.settings()
    finished.write_settings({**settings, **changes})
    try:
        with (
            pytest.raises(ValueError, match=f"needs {needed}; write optimizer.kind and averaging.kind there"),
            resumed_run(finished.path) as trainer,
        ):
            trainer.run()
    finally:
        finished.write_settings(settings)


def test_a_share_that_is_to_adapt_from_now_on_begins_where_it_is_set(finished):
    settings = finished.settings()
    finished.write_settings({**settings, "masking": {"adaptive": True}, "budget": {"steps": 2}})
    try:
        with resumed_run(finished.path) as trainer:
            assert trainer.adaptive.value == 0.15
            assert trainer.run() == "finished"
    finally:
        finished.write_settings(settings)


def test_settings_that_are_edited_between_two_checkpoints_are_noted(tmp_path):
    run = short_run(tmp_path / "run")
    settings = run.settings()
    edited = {"schedule": {"warmup": 0.3}, "budget": {"steps": 2}, "saving": {"every": 7}, "workers": 2}
    run.write_settings({**settings, **edited})
    with resumed_run(run.path) as trainer:
        noted = trainer.progress.changes
        tokens = trainer.progress.spent.tokens
        trainer.run()
    assert noted == [
        {
            "step": 1,
            "tokens": tokens,
            "schedule.warmup": [settings["schedule"]["warmup"], 0.3],
            "budget.steps": [1, 2],
        }
    ]
    with resumed_run(run.path) as trainer:
        assert trainer.progress.changes == noted


def test_a_run_keeps_its_budget_if_another_is_refused(tmp_path):
    run = short_run(tmp_path / "run")
    with (
        pytest.raises(ValueError, match="1 step: so much is done already"),
        resumed_run(run.path, budget={"steps": 1}),
    ):
        pass
    with pytest.raises(ValueError, match="steps and tokens given"):
        resumed_run(run.path, budget={"steps": 2, "tokens": 2}).__enter__()
    assert run.settings()["budget"]["steps"] == 1
    shutil.rmtree(run.checkpoints)
    run.forget_after(0)
    with resumed_run(run.path, budget={"steps": 3}) as trainer:
        assert trainer.progress.changes == []
    assert run.settings()["budget"]["steps"] == 3


def test_a_run_that_was_killed_before_its_vocabulary_was_written_starts_over(tmp_path):
    settings = TrainingConfig.named("debugging", {"corpus": ["world:60"], "model": {"vocab_size": 200}})
    (tmp_path / "tokenizer").mkdir()
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(settings.model_dump()), "utf-8")
    with resumed_run(tmp_path) as trainer:
        assert trainer.materials.tokenizer.vocab_size == 200
    assert (tmp_path / "tokenizer" / "tokenizer.json").is_file()
