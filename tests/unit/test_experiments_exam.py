"""The common exam: the same questions for all, kept scores, and differences with their intervals."""

import json
from math import exp

import numpy as np
import pytest

from mini_bert import MiniBERT, ModelConfig
from mini_bert.data.corpus import World
from mini_bert.data.packing import PackedRows
from mini_bert.evaluation.intrinsic.exam import Settings
from mini_bert.evaluation.intrinsic.exam_text import ExamText
from mini_bert.evaluation.intrinsic.questions import questions_for
from mini_bert.evaluation.intrinsic.row_scores import RowScores, difference, perplexity, score
from mini_bert.evaluation.subject import Subject
from mini_bert.experiments.common_exam import (
    DISGUISED,
    HIDDEN,
    CommonExam,
    ExamScores,
    examined,
    keep,
    kept_scores,
)
from mini_bert.experiments.comparison import (
    Comparison,
    Contestant,
    seeds_told,
)
from mini_bert.experiments.experiment import Experiment
from mini_bert.experiments.ground import Ground
from mini_bert.experiments.tables import main_table, markdown, text_table
from mini_bert.experiments.trials import trials_of
from mini_bert.run_reports.student import interval
from mini_bert.training.checkpoints import Checkpoints
from mini_bert.training.parallel import Team
from mini_bert.training.run_folder import RunFolder
from mini_bert.training.saving import write_checkpoint
from mini_bert.training.validation import exam_of, examine


@pytest.fixture(scope="module")
def exam(tokenizer):
    return CommonExam({"one": World(20, 103), "two": World(30, 102)}, tokenizer, T=32, rows=24, seed=0)


@pytest.fixture(scope="module")
def model(tokenizer):
    made = MiniBERT(ModelConfig.preset("debug", vocab_size=tokenizer.vocab_size), seed=1)
    made.tokenizer = tokenizer
    return made


def a_run(path, model, tokenizer, step=1):
    run = RunFolder(path)
    Checkpoints(run.checkpoints).save(step, write_checkpoint(model, tokenizer, {}, {}))
    return run


def scores(*losses, asked=2):
    """Of a text whose rows have these losses for each of two words."""
    n = len(losses)
    rows = RowScores(np.full(n, asked), np.arange(n) % (asked + 1), asked * np.array(losses, float))
    return ExamScores("exam", "model", {HIDDEN: {"one": rows}, DISGUISED: {"one": rows}})


def test_questions_are_the_same_words_in_both_disguises(exam):
    for name in exam.texts:
        hidden, disguised = exam.questions[HIDDEN][name].batch, exam.questions[DISGUISED][name].batch
        assert len(hidden.ids) == 24
        assert len(disguised.ids) == 6
        assert (hidden.positions[:6] == disguised.positions).all()
        assert (hidden.labels[:6] == disguised.labels).all()
        mask = exam.tokenizer.token_to_id["[MASK]"]
        shown = np.take_along_axis(hidden.ids, hidden.positions, 1)
        assert (shown[hidden.weights > 0] == mask).all()


def places_asked(questions):
    """Document and place in it of each hidden word."""
    places = questions.rows.places(0, len(questions.batch.ids))
    column = questions.place - len(questions.rows.layout.before)
    return set(zip(*(values[questions.row, column].tolist() for values in places), strict=True))


def test_a_search_asks_for_other_words_than_an_evaluation(exam, model, tmp_path):
    ground = Ground(base="debugging", held_out=["world:30"])
    with Subject(model) as subject:
        text = ExamText("world:30", ground.exam_texts()["world:30"])
        evaluated = questions_for(subject, text, 24, Settings().seed)
    searched = CommonExam(ground.exam_texts(), exam.tokenizer, 32, 24, ground.exam_seed)
    one, other = places_asked(evaluated), places_asked(searched.questions[HIDDEN]["world:30"])
    assert len(one & other) <= len(one) / 6


def test_scores_are_those_that_training_measures(exam, model):
    with Subject(model) as subject:
        found = exam.sat_by(subject)[HIDDEN]
    for name, rows in found.items():
        questions = exam.questions[HIDDEN][name]
        with Team(1) as team:
            expected = examine(model.network, model.arena, questions.batch, team)
        assert score(rows, "loss").value == pytest.approx(expected.loss, rel=1e-5)
        assert score(rows, "found").value == pytest.approx(expected.accuracy)
        assert perplexity(rows) == pytest.approx(expected.perplexity, rel=1e-5)
    assert isinstance(questions.rows, PackedRows)
    plain = exam_of(questions.rows, exam.tokenizer, 24)
    assert (plain.ids == questions.batch.ids).all()


def test_scores_are_kept_until_the_weights_or_the_questions_change(
    exam, model, tokenizer, tmp_path, monkeypatch
):
    run = a_run(tmp_path / "base", model, tokenizer)
    first = examined(run, exam)
    assert kept_scores(run).rows[HIDDEN]["two"].loss.tolist() == first.rows[HIDDEN]["two"].loss.tolist()
    sittings = []
    monkeypatch.setattr(CommonExam, "sat_by", lambda *_: sittings.append(1) or first.rows)
    examined(run, exam)
    assert not sittings
    examined(run, CommonExam(exam.texts, tokenizer, 32, rows=23, seed=0))
    examined(run, CommonExam(exam.texts, tokenizer, 32, rows=24, seed=1))
    assert len(sittings) == 2
    examined(run, exam)
    assert len(sittings) == 3
    examined(run, exam)
    assert len(sittings) == 3
    a_run(tmp_path / "base", MiniBERT(model.config, seed=2), tokenizer, step=2)
    examined(run, exam)
    assert len(sittings) == 4
    (run.path / "exam.json").write_text("{}", "utf-8")
    assert kept_scores(run) is None


def test_a_model_that_cannot_sit_the_exam_is_told(exam, model, tokenizer, tmp_path):
    short = MiniBERT(model.config.changed(max_seq_length=16))
    with pytest.raises(ValueError, match=r"short: it cannot fill gaps in rows of 32 tokens"):
        examined(a_run(tmp_path / "short", short, tokenizer), exam)
    run = RunFolder(tmp_path / "empty")
    with pytest.raises(ValueError, match="missing or damaged"):
        examined(run, exam)


def test_a_difference_is_paired(tmp_path):
    base, variant = scores(1.0, 5.0, 9.0, 2.0), scores(0.9, 4.9, 8.9, 1.9)
    found = difference(variant.of(), base.of(), "loss")
    assert found.value == pytest.approx(-0.1)
    assert found.high - found.low == pytest.approx(
        0, abs=1e-9
    )  # the rows differ by 8, the models always by 0.1
    assert difference(variant.of(), base.of(), "found").value == 0


def test_the_interval_of_a_difference_is_that_of_a_mean_over_rows():
    rng = np.random.default_rng(0)
    apart_by = rng.normal(0.2, 1.0, 400)
    base = scores(*np.full(400, 3.0))
    found = difference(scores(*(3.0 + apart_by)).of(), base.of(), "loss")
    half = interval(apart_by).half_width
    assert found.value == pytest.approx(apart_by.mean())
    assert (found.high - found.low) / 2 == pytest.approx(half)


def test_texts_are_pooled_by_their_questions():
    one, two = (
        RowScores(*(np.array([x]) for x in (10, 5, 10.0))),
        RowScores(*(np.array([x]) for x in (30, 3, 90.0))),
    )
    both = ExamScores("exam", "model", {HIDDEN: {"one": one, "two": two}}).of()
    assert score(both, "found").value == 8 / 40
    assert perplexity(both) == pytest.approx(exp(100 / 40))


def test_seeds_tell_how_much_chance_there_is():
    base = scores(1.0, 2.0)
    assert seeds_told(base, [scores(1.01, 2.01), scores(0.98, 1.98), base]) == (
        "The base with other seeds: loss −0.020, 0.000, +0.010 against the base."
    )
    assert seeds_told(base, []) == seeds_told(None, [base]) == ""


def test_a_run_that_went_astray_leaves_the_columns_of_the_others_narrow(tmp_path):
    experiment = Experiment(name="rate", question="Which?", variants={"fast": {"seed": 1}})
    trials = trials_of([experiment], Ground(base="debugging"), tmp_path)
    found = (scores(1.0, 2.0), scores(690.0, 710.0))
    comparison = Comparison(
        experiment,
        tuple(Contestant(trial.name, trial, one, 1) for trial, one in zip(trials, found, strict=True)),
    )
    assert [row[2] for row in main_table(comparison).rows] == ["4.5", "> 10⁶"]
    assert [row[1] for row in text_table(comparison).rows] == ["25.0 % / 4.5", "25.0 % / > 10⁶"]
    assert max(map(len, markdown(comparison).splitlines())) < 200


def test_a_bar_in_a_title_does_not_end_its_cell(tmp_path):
    experiment = Experiment(name="unit", question="Which?", variants={"fast": {"seed": 1}})
    trial, _ = trials_of([experiment], Ground(base="debugging"), tmp_path)
    comparison = Comparison(experiment, (Contestant("a | b", trial, scores(1.0), 1),))
    _, _, header, rule, row, *_ = markdown(comparison).splitlines()
    assert header.startswith("| unit | found | perplexity |")
    assert rule == f"| --- |{' ---: |' * 8}"
    assert row.startswith(r"| a \| b | ")


def test_kept_scores_are_plain_json(tmp_path):
    run = RunFolder(tmp_path)
    keep(run, scores(1.23456789))
    told = json.loads((tmp_path / "exam.json").read_text("utf-8"))
    assert told["rows"]["hidden"]["one"] == {"asked": [2], "found": [0], "loss": [2.469136]}
