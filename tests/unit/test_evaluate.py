"""Evaluations: what is asked, what is left out, what is judged, and that a report is there whole or not at all."""

import doctest
import json
from dataclasses import replace
from statistics import median

import pytest

from mini_bert.evaluation import abilities, suites
from mini_bert.evaluation.abilities import ability_of
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.evaluate import evaluate, name_of
from mini_bert.evaluation.evaluation import check_place
from mini_bert.evaluation.exam import DoesNotApply, Pace
from mini_bert.evaluation.pace import pace_of
from mini_bert.evaluation.plan import LeftOut
from mini_bert.evaluation.section import Column, Headline, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from tests.unit.exams_by_hand import install, tiny_model, write_suite

SURE, UNSURE, LOW = Estimate(0.9, 0.88, 0.92), Estimate(0.88, 0.86, 0.9), Estimate(0.5, 0.4, 0.6)
FIRST_SHARE = Headline()


@pytest.fixture(autouse=True)
def fast_exams(monkeypatch):
    install(monkeypatch)
    monkeypatch.setattr("mini_bert.evaluation.evaluate.pace_of", lambda subject: Pace(1e4, 1e3, 1e9))


@pytest.fixture
def examined(tokenizer, tmp_path):
    def examined(trouble="none", **options):
        return evaluate(tiny_model(tokenizer), suites=[write_suite(tmp_path, trouble)], **options)

    return examined


def test_all_that_applies_is_asked_and_timed(examined):
    heard = []
    found = examined(report=lambda done, note: heard.append((round(done, 3), note)), command="mini-bert")
    assert [section.name for section in found.sections] == ["coins", "odd"]
    assert found.left_out == ()
    assert heard == [(0.0, "coins"), (0.333, "coins: half of them"), (0.667, "odd")]
    told = found.as_dict()
    assert told["seconds_foretold"] == 3.0
    assert [exam["settings"] for exam in told["exams"]] == [{"tosses": 100, "seed": 0}, {"trouble": "none"}]
    assert told["exams"][0]["sections"][0]["figures"]["accuracy"] == 0.9
    assert told["model"]["layers"] == 2
    assert len(told["model"]["weights"]) == 32
    assert told["data"] == "embedded world"
    assert told["summary"] == [
        {
            "section": "coins",
            "title": "Coins <tossed>",
            "measure": "right",
            "row": "this model",
            "is_share": True,
            "score": share(90, 100)._asdict(),
            "rivals": [
                {"name": "per-word majority", "kind": "baseline", "value": 0.5, "low": None, "high": None},
                {"name": "random weights", "kind": "control", "value": 0.4, "low": 0.35, "high": 0.45},
            ],
            "beats_its_baselines": "yes",
        }
    ]


def test_the_plan_is_told_before_it_begins(examined):
    plans = []
    examined(announce=plans.append)
    assert [(one.entry.exam, one.seconds) for one in plans[0].exams] == [("coins", 2.0), ("odd", 1.0)]


def test_the_seed_goes_to_exams_that_draw_lots(examined):
    assert [section.figures for section in examined(seed=3).sections] == [
        {"accuracy": 0.93, "seed": 3, "nothing": pytest.approx(float("nan"), nan_ok=True)},
        {"depth": 3},
    ]


@pytest.mark.parametrize(
    ("trouble", "options", "reason"),
    [
        ("does not apply", {}, "this model has no head for it; take another"),
        ("foreseen", {}, "it needs a folder of tasks; name one with --data"),
        ("none", {"quick": False}, "not in a full evaluation; --quick has it"),
    ],
)
def test_what_does_not_apply_is_left_out_with_its_reason(examined, trouble, options, reason):
    found = examined(trouble, **options)
    assert [section.name for section in found.sections] == ["coins"]
    assert found.as_dict()["left_out"] == [{"suite": "mine", "exam": "odd", "reason": reason}]


def test_what_is_asked_by_name_and_does_not_apply_is_refused_before_all_else(examined, monkeypatch):
    def seconds(*told):
        raise DoesNotApply("this model has no run beside it; name a run's folder")

    monkeypatch.setattr(suites.module_of("odd"), "seconds", seconds)
    planned = []
    with pytest.raises(ValueError, match=r"^odd: this model has no run beside it; name a run's folder"):
        examined(beside=["odd"], announce=planned.append)
    assert not planned
    assert examined().as_dict()["left_out"]


def test_what_is_left_out_for_one_reason_is_told_together(examined, tmp_path):
    found = examined("does not apply")
    both = replace(found, left_out=(*found.left_out, LeftOut("mine", "other", found.left_out[0].reason)))
    assert found.reasons == ["odd: this model has no head for it; take another"]
    assert both.reasons == ["odd, other: this model has no head for it; take another"]


def test_if_nothing_applies_it_says_why(tokenizer, tmp_path):
    path = tmp_path / "odd.yaml"
    path.write_text("exams: [{exam: odd, quick: {trouble: does not apply}}]")
    with pytest.raises(ValueError, match="nothing can be asked of this model: odd: this model has no head"):
        evaluate(tiny_model(tokenizer), suites=[str(path)])


def test_an_error_names_its_exam(examined):
    with pytest.raises(ValueError, match=r"^odd: tasks/dev\.tsv: no labels"):
        examined("user")
    with pytest.raises(ZeroDivisionError) as ours:
        examined("ours")
    assert ours.value.__notes__ == ["in the exam 'odd' of the suite 'mine'"]


def test_a_report_replaces_the_one_before(examined, tmp_path):
    place = tmp_path / "reports" / "mine"
    examined(seed=1).write(place)
    page = examined(seed=2).write(place)
    assert sorted(path.name for path in place.iterdir()) == ["report.html", "report.json"]
    told = json.loads((place / "report.json").read_text("utf-8"))
    assert told["exams"][0]["sections"][0]["figures"] == {"accuracy": 0.92, "seed": 2, "nothing": None}
    assert "92.0 %" in page.read_text("utf-8")


def test_a_picture_that_cannot_be_drawn_leaves_the_old_report(examined, tmp_path, monkeypatch):
    examined(seed=1).write(tmp_path / "place")
    before = {path.name: path.read_bytes() for path in (tmp_path / "place").iterdir()}
    found = examined(seed=2)
    monkeypatch.setattr("mini_bert.plots.bars.bars", lambda *told, **more: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        found.write(tmp_path / "place")
    with pytest.raises(ZeroDivisionError):
        found.write(tmp_path / "elsewhere")
    assert {path.name: path.read_bytes() for path in (tmp_path / "place").iterdir()} == before
    assert not (tmp_path / "elsewhere").exists()


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="file: is a file, not a folder"):
        check_place(tmp_path / "file" / "inner")
    check_place(tmp_path / "not" / "yet")
    assert not (tmp_path / "not").exists()


def section_with(*rows, is_share=True, headline=FIRST_SHARE):
    table = Table("t", (Column(""), Column("n"), Column("right", is_share=is_share)), rows)
    return Section("s", "S", "", (table,), {}, headline=headline)


@pytest.mark.parametrize(
    ("score", "rivals", "verdict"),
    [
        (SURE, [LOW], "yes"),
        (SURE, [LOW, UNSURE], "within noise"),
        (UNSURE, [LOW, Estimate(0.92, 0.915, 0.93)], "no"),
        (SURE, [0.2, Estimate(float("nan"))], "yes"),
        (
            SURE,
            [Estimate(0.87, 0.85, 0.89)],
            "yes",
        ),  # the intervals meet, but that of the difference lies above 0
    ],
)
def test_a_verdict_is_that_of_the_strongest_rival(score, rivals, verdict):
    section = section_with(
        Row(("this model", 10, score)), *(Row((f"rival {rival}", 10, rival), "baseline") for rival in rivals)
    )
    assert ability_of(section).verdict == verdict


def test_what_has_no_rival_or_no_share_is_no_ability():
    assert ability_of(section_with(Row(("this model", 10, SURE)))) is None
    rows = Row(("this model", 10, 3.0)), Row(("chance", 10, 2.0), "baseline")
    assert ability_of(section_with(*rows, is_share=False)) is None
    assert ability_of(section_with(Row(("chance", 10, LOW), "baseline"))) is None
    rows = Row(("this model", 10, 0.9)), Row(("chance", 10, LOW), "baseline")
    assert ability_of(section_with(*rows)) is None  # nobody knows how sure the score is


def test_a_headline_names_what_stands_for_a_section_or_that_nothing_does():
    rows = Row(("this model", 10, SURE)), Row(("chance", 10, LOW), "baseline")
    assert ability_of(section_with(*rows, headline=None)) is None
    named = ability_of(section_with(*rows, is_share=False, headline=Headline(column="right")))
    assert (named.score, named.measure.name, named.verdict) == (SURE, "right", "yes")
    assert ability_of(section_with(*rows, headline=Headline(column="elsewhere"))) is None


def test_what_is_about_the_best_one_can_do_is_no_rival():
    rows = Row(("this model", 10, SURE)), Row(("a rule", 10, 0.99), "reference")
    assert ability_of(section_with(*rows)) is None
    ability = ability_of(section_with(*rows, Row(("chance", 10, LOW), "baseline")))
    assert [rival.name for rival in ability.rivals] == ["chance"]


def test_of_several_layers_the_chosen_one_is_judged_and_the_embeddings_are_its_rival():
    rows = [
        Row(("0 (embeddings)", 10, UNSURE)),
        Row(("1", 10, Estimate(0.95, 0.94, 0.96))),
        Row(("2 (chosen on dev)", 10, SURE)),
        Row(("majority", 10, LOW), "baseline"),
    ]
    found = ability_of(section_with(*rows))
    assert found.score == SURE
    assert [(rival.name, rival.kind) for rival in found.rivals] == [
        ("0 (embeddings)", "control"),
        ("majority", "baseline"),
    ]
    rows[0] = Row(("0 (embeddings), chosen on dev", 10, UNSURE))
    found = ability_of(section_with(*rows[:2], rows[3]))
    assert found.score == UNSURE
    assert [rival.name for rival in found.rivals] == ["majority"]


def test_a_model_is_named_after_its_run(tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    assert name_of(model) == "model"
    for name in ("last", "step-100"):
        model.save(tmp_path / "stories" / "checkpoints" / name)
        model.folder = tmp_path / "stories" / "checkpoints" / name
        expected = "stories" if name == "last" else "stories-step-100"
        assert name_of(model) == expected
    model.folder = tmp_path / "bert-base"
    assert name_of(model) == "bert-base"


def test_pace_is_measured_with_the_model(tokenizer):
    with Subject(tiny_model(tokenizer)) as subject:
        weights = subject.model.arena.flat.copy()
        paces = [pace_of(subject, seconds_each=0.01) for _ in range(5)]
        forward, training = (
            median(getattr(pace, name) for pace in paces) for name in ("forward_tokens", "training_tokens")
        )
        assert forward > training > 1
        assert all(pace.multiplications > 1e6 for pace in paces)
        assert (subject.model.arena.flat == weights).all()


def test_examples():
    assert doctest.testmod(abilities).failed == 0
