"""Across training as an exam: which run, which measures, which figures."""

import pytest

from mini_bert.evaluation import when_learned
from mini_bert.evaluation.abilities import Ability, Rival
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.exam import DoesNotApply
from mini_bert.evaluation.subject import Subject
from mini_bert.evaluation.when_learned import Settings, entries_of, examine, figures_of, run_of
from tests.unit.exams_by_hand import CoinSettings, install, tiny_model
from tests.unit.runs_by_hand import write_run


def ability(title, score, *rivals):
    return Ability(
        "", title, "", "", Estimate(score), tuple(Rival(n, Estimate(v), "baseline") for n, v in rivals)
    )


def test_figures_are_scores_and_the_best_rival_of_each():
    pos = ability("Parts of speech", 0.9, ("majority", 0.8), ("chance", 0.1))
    assert figures_of([pos]) == {"Parts of speech": 0.9, "baseline: majority": 0.8}
    assert figures_of([pos, ability("Edges", 0.7, ("majority", 0.6))]) == {
        "Parts of speech": 0.9,
        "Edges": 0.7,
        "baseline: majority (Parts of speech)": 0.8,
        "baseline: majority (Edges)": 0.6,
    }


def test_a_model_finds_its_run(tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    run = write_run(tmp_path / "run", [], {})
    for place, is_there in (
        (None, False),
        (tmp_path / "alone" / "x", False),
        (run.checkpoints / "best", True),
    ):
        model.folder = place
        with Subject(model) as subject:
            if is_there:
                assert run_of(subject).path == run.path.resolve()
            else:
                with pytest.raises(DoesNotApply, match="no run beside it"):
                    run_of(subject)


def test_every_exam_that_says_what_to_ask_of_a_checkpoint_is_a_measure(tokenizer, tmp_path, monkeypatch):
    install(monkeypatch)
    file = tmp_path / "mine.yaml"
    file.write_text("exams: [{exam: coins, checkpoint: {tosses: 10}}, {exam: odd}]")
    settings = Settings(suites=[str(file)], seed=3)
    assert [entry.exam for entry in entries_of(settings)] == ["coins"]
    asked, noted = {}, {}
    monkeypatch.setattr(
        when_learned,
        "across_training",
        lambda run, measures, report, remarks: asked.update(measures) or noted.update(remarks) or [run],
    )
    model = tiny_model(tokenizer)
    run = write_run(tmp_path / "run", [], {})
    model.folder = run.checkpoints / "last"
    with Subject(model) as subject:
        assert examine(subject, None, settings, lambda done, note: None) == [run.path.resolve()]
        assert {"hidden words found (%)", "coins (%)"} <= set(asked)
        assert {one.__self__.learner for one in noted.values()} == {model}
        assert asked["coins (%)"](subject) == {"Coins <tossed>": 0.9, "baseline: per-word majority": 0.5}
        assert entries_of(settings)[0].settings("checkpoint") == CoinSettings(tosses=10)
