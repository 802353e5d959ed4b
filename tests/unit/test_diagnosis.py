"""Diagnosis: figures from a log made by hand, what each cause makes of them, and which comes first."""

import doctest
from dataclasses import replace
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from mini_bert.cli import main
from mini_bert.cli.diagnose import show_finding
from mini_bert.diagnosis import bands as bands_module
from mini_bert.diagnosis.bands import Band, bands
from mini_bert.diagnosis.causes import CAUSES
from mini_bert.diagnosis.causes.cause import Evidence
from mini_bert.diagnosis.curves import figures_of_curves
from mini_bert.diagnosis.diagnosis import Finding, judged
from mini_bert.diagnosis.figures import MEANINGS, RATIOS, Figure
from mini_bert.diagnosis.inside import figures_from_inside
from mini_bert.diagnosis.measuring import Case, figures_of_settings
from mini_bert.diagnosis.museum.exhibits import EXHIBITS, exhibit
from mini_bert.training.config import TrainingConfig
from mini_bert.training.config_groups import MaskingConfig

FACTS = {"uniform_loss": 6.0, "unigram_loss": 5.0}


def line(step, loss, norm=1.0, **more):
    return {"step": step, "loss": loss, "gradient_norm": norm, "epoch": 0, "batch_size": 32, **more}


def inspection(gradients=(1.0, 1.0), update=0.01, **data):
    layers = {
        f"encoder.layers.{i}": {"gradient_norm": norm, "weight_norm": 10.0, "update_ratio": update}
        for i, norm in enumerate(gradients)
    }
    shown = {
        "asked": 0.15,
        "hidden": 0.8,
        "kept": 0.1,
        "unknown": 0.0,
        "padding": 0.0,
        "repeated": 0.0,
        **data,
    }
    return {
        "layers": layers,
        "attention_entropy": [[2.0, 3.0], [3.0, 3.0]],
        "most_entropy": log(64),
        "dead_units": [0.1, 0.3],
        "data": shown,
    }


def inspected(**settings):
    return [line(step, 5.0, inspection=inspection(**settings)) for step in (50, 100)]


def case(steps=1000, **figures):
    return Case(
        Path("run"), TrainingConfig(), steps, {name: Figure(value, steps) for name, value in figures.items()}
    )


def sound_figures():
    """The middle of every band: of a ratio by its logarithm."""
    middle = {}
    for name, (low, high) in bands().items():
        ratio = MEANINGS[name].scale in RATIOS and low > 0
        middle[name] = (low * high) ** 0.5 if ratio else (low + high) / 2
    exact = {
        "replayed_update": 1.0,
        "replayed_attention": 0.0,
        "replayed_exam": 0.0,
        "uncorrected_update": 0.5,
    }
    return middle | exact | {"hidden": 0.0, "kept": 0.0, "epochs": 1, "not_finite": 0}


def test_the_curve_is_measured_by_what_ignorance_scores():
    lines = [
        line(10, 6.0, 2.0),
        *(line(10 * n, 5.2) for n in range(2, 11)),
        line(100, 5.2, held_out_loss=5.5),
    ]
    found = figures_of_curves(lines, FACTS)
    assert found["first_loss"] == Figure(1.0, 10)
    assert found["progress"].value == pytest.approx(0.8)
    assert found["gap"].value == pytest.approx(0.3)
    assert found["first_norm"].value == 2.0
    assert found["worst_loss"].value == pytest.approx(5.2 / 6)


def test_a_loss_that_was_not_finite_is_the_worst():
    found = figures_of_curves([line(10, 6.0), line(20, None, norm=None)], FACTS)
    assert found["worst_loss"] == Figure(inf, 20)


STOPPED = "step 7: not finite: loss nan, gradient norm inf, first in encoder.layers.0 (stop)"
SKIPPED = "step 13: spike: loss 5, gradient norm 90, largest in head (skip)"


def burst(step=7, **figures):
    """A sound beginning that came to its end at a step."""
    known = case(**{"stride": 0.3, "first_norm": 1.0, "norm_growth": 1.0} | figures)
    known.figures["not_finite"] = Figure(1, step, STOPPED.replace("7", str(step)))
    return judged(known)


def test_a_run_that_burst_is_quoted():
    stopped = {"step": 7, "loss": None, "gradient_norm": None, "epoch": 0, "troubles": [STOPPED]}
    found = figures_of_curves([stopped], FACTS)
    assert found["not_finite"] == Figure(1, 7, STOPPED)
    assert "norm_growth" not in found
    assert "rebound" not in found
    found = figures_of_curves([line(5, 6.0), stopped | {"loss": 6.1, "gradient_norm": 3.0}], FACTS)
    assert found["not_finite"] == Figure(1, 7, STOPPED)
    assert found["norm_growth"].value == 3.0


def test_steps_that_were_skipped_for_their_gradient_are_no_burst():
    lines = [line(10, 6.0), line(13, None, norm=None, troubles=[SKIPPED]), line(20, 5.5)]
    found = figures_of_curves(lines, FACTS)
    assert found["not_finite"].value == 0
    assert found["worst_loss"].value == pytest.approx(5.5 / 6)
    assert figures_of_curves(lines[1:2], FACTS).keys() == {"epochs", "not_finite"}


def test_a_burst_is_laid_to_the_learning_rate_if_steps_were_long_or_gradients_grew():
    assert burst(stride=50.0).top == "learning-rate-too-high"
    assert burst(norm_growth=100.0).top == "learning-rate-too-high"
    assert burst().top == "exploding-gradients"
    assert burst(norm_growth=100.0, first_norm=1e4).top == "exploding-gradients"
    assert burst(step=1, stride=50.0).top == "exploding-gradients", "no step has been taken before the first"


def test_the_first_trouble_is_told(capsys):
    show_finding(burst(stride=50.0).findings[0], Console(width=500), is_first=True)
    assert STOPPED in capsys.readouterr().out


def test_a_loss_that_rises_again_is_harm_of_a_high_learning_rate():
    rising = sound_figures() | {"rebound": 2.0}
    assert judged(case(**rising)).is_healthy
    assert judged(case(**rising | {"stride": 50.0})).top == "learning-rate-too-high"


def test_a_loss_that_ends_far_above_its_best_is_never_healthy():
    """From 7 to 45 at an ordinary learning rate, and nothing inspected."""
    falling = [line(10 * n, 9 - 0.1 * n, norm=1.0) for n in range(1, 21)]
    rising = [line(200 + 10 * n, 7 + 0.95 * n, norm=1.0) for n in range(1, 41)]
    found = figures_of_curves(falling + rising, {"uniform_loss": 9.0, "unigram_loss": 6.0})
    assert found["climb"].value > 30
    told = judged(Case(Path("run"), TrainingConfig(), 600, found))
    assert [finding.cause.name for finding in told.findings] == ["loss-climbs"]
    assert judged(Case(Path("run"), TrainingConfig(), 200, figures_of_curves(falling, FACTS))).is_healthy


def test_a_few_lines_that_are_low_by_chance_do_not_make_a_loss_climb():
    """The mean of a line's twenty words varies by a nat and more; that of a tenth of the lines does not."""
    rng = np.random.default_rng(0)
    level = 4 + 3 * np.exp(-np.arange(400) / 60)
    noisy = [line(n + 1, float(loss)) for n, loss in enumerate(level + rng.normal(0, 0.8, 400))]
    found = figures_of_curves(noisy, FACTS)
    assert found["rebound"].value > 1.5
    assert found["climb"].value < 0.4


def test_a_climb_says_less_than_what_explains_it():
    climbing = sound_figures() | {"climb": 3.0, "rebound": 3.0}

    def names(**more):
        return [finding.cause.name for finding in judged(case(**climbing | more)).findings]

    assert names() == ["loss-climbs"]
    assert names(stride=50.0) == ["learning-rate-too-high"]
    assert names(dead=1.0) == ["dead-relu", "loss-climbs"]
    assert names(replayed_attention=0.9, turned_attention=1.0) == ["computed-otherwise", "loss-climbs"]
    assert names(replayed_loss=-2.0, replayed_norm=3.0) == ["loss-climbs"], "other batches come after a climb"


@pytest.mark.parametrize("kind", ["sgd", "lamb", "sophia", "muon", "lion", "adamw"])
def test_the_length_of_steps_is_known_for_every_optimizer(kind):
    def stride(rate, lines):
        config = TrainingConfig.parse({"optimizer": {"kind": kind, "learning_rate": rate}})
        return figures_of_settings(lines, config, {"parameters": 50_000})["stride"].value

    stopped = {"step": 2, "loss": 6.0, "gradient_norm": 1.0, "troubles": [STOPPED]}
    own = stride(None, [line(10, 6.0, learning_rate=1e-3), line(20, 5.0, learning_rate=2e-3), stopped])
    assert own == pytest.approx(stride(2e-3, [stopped]))
    assert own < bands()["stride"].high < stride(1e30, [stopped])


def test_without_facts_the_loss_is_compared_with_nothing():
    assert "progress" not in figures_of_curves([line(10, 6.0)], {})


def test_the_inside_of_a_run():
    found = figures_from_inside(inspected(gradients=(0.3, 0.4)), MaskingConfig())
    assert found["depth"].value == pytest.approx(0.75)
    assert found["stillest"].value == pytest.approx(0.6)
    assert found["stillest"].where == "encoder.layers.0"
    assert found["path"].value == pytest.approx(1.0)
    assert found["attention"].value == pytest.approx(2.75 / log(64))
    assert found["dead"] == Figure(0.3, 100, "encoder.layers.1")
    assert found["hidden"].value == pytest.approx(0.0)


def test_few_asked_words_say_nothing_of_shares():
    lines = [replaced | {"batch_size": 2} for replaced in inspected(kept=0.0)]
    assert "kept" not in figures_from_inside(lines, MaskingConfig())


def test_an_inspection_that_was_not_finite_is_passed_over():
    assert (
        figures_from_inside([line(50, 5.0, inspection=inspection(gradients=(None, 1.0)))], MaskingConfig())
        == {}
    )


def test_a_notebook_shows_it_in_words():
    assert judged(case(**sound_figures()))._repr_markdown_().startswith("**healthy**")
    assert judged(case(steps=20))._repr_markdown_().startswith("**too early to judge**")
    found = judged(case(shifted=0.3))
    assert f"(`{found.top}`)" in found._repr_markdown_().splitlines()[0]
    assert found.findings[0].cause.remedy in found._repr_markdown_()


def test_the_middle_of_every_band_is_healthy():
    assert judged(case(**sound_figures())).is_healthy


def test_what_is_not_known_is_no_evidence():
    assert judged(case()).is_healthy


FAULTS = {
    "mask-inverted": {"hidden": -0.8, "kept": 0.9, "gap": 6.0, "replayed_loss": 6.0},
    "labels-shifted": {"kept": -0.1},
    "data-repeated": {"repeated": 1.0, "gap": 8.0, "replayed_loss": 8.0},
    "tokenizer-mismatch": {"gap": 1.5, "replayed_loss": 1.5},
    "accumulation-not-averaged": {"replayed_norm": 4.1},
    "gradients-not-reset": {"replayed_norm": 40.0, "norm_growth": 3.0},
    "bias-correction-missing": {"replayed_update": 1.26, "uncorrected_update": 1.001},
    "computed-otherwise": {"replayed_attention": 0.9, "turned_attention": 1.0},
    "learning-rate-too-high": {"stride": 50.0, "worst_loss": 3.0, "dead": 1.0},
    "learning-rate-too-low": {"path": 1e-3, "progress": 0.0},
    "loss-climbs": {"climb": 2.0},
    "weight-decay-too-strong": {"size": 0.2},
    "layer-frozen": {"stillest": 0.0, "depth": 0.0},
    "attention-not-normalized": {"replayed_attention": 0.9, "turned_attention": 1e-6},
    "dead-relu": {"dead": 1.0},
    "vanishing-gradients": {"depth": 1e-9, "stillest": 1e-9},
    "exploding-gradients": {"first_norm": 1e5, "first_loss": 100.0},
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_cause_is_known_by_its_marks(name):
    found = judged(case(**sound_figures() | FAULTS[name]))
    assert found.top == name
    assert all(
        not entry.band.low <= entry.figure.value <= entry.band.high for entry in found.findings[0].evidence
    )


def test_every_cause_is_tried_here_and_shown_in_the_museum():
    assert {cause.name for cause in CAUSES} == FAULTS.keys() == {entry.cause for entry in EXHIBITS}


def test_a_second_mark_outside_its_band_is_needed_where_one_may_be_innocent():
    assert judged(case(**sound_figures() | {"stride": 50.0})).is_healthy
    assert judged(case(**sound_figures() | {"path": 1e-3, "progress": 0.99})).is_healthy
    assert judged(case(**sound_figures() | {"epochs": 40})).is_healthy


def test_a_short_run_is_not_called_slow():
    slow = sound_figures() | FAULTS["learning-rate-too-low"]
    assert judged(case(steps=20, **slow)).is_healthy


def test_micro_batches_that_are_none_cannot_be_summed():
    alone = case(**sound_figures() | FAULTS["accumulation-not-averaged"])
    config = TrainingConfig.parse({"batch": {"size": 8, "micro": 8}})
    assert judged(replace(alone, config=config)).top == "computed-otherwise"


@pytest.mark.parametrize(
    "unlike",
    [
        {"replayed_attention": 0.05},
        {"replayed_exam": -0.1},
        {"replayed_update": 3.0, "uncorrected_update": 1.009},
        {"replayed_update": 0.5},
        {"replayed_norm": 3.0, "norm_growth": 1.0},
        {"replayed_loss": -2.0},
    ],
)
def test_any_number_that_sound_code_does_not_find_is_a_mismatch(unlike):
    assert judged(case(**sound_figures() | unlike)).top == "computed-otherwise"


def test_the_general_cause_is_silent_about_what_others_explain_and_comes_behind_them():
    names = [
        finding.cause.name
        for finding in judged(
            case(**sound_figures() | FAULTS["accumulation-not-averaged"] | {"replayed_exam": 9.0})
        ).findings
    ]
    assert names == ["accumulation-not-averaged", "computed-otherwise"]


def test_a_symptom_says_which_wrong_computation_and_a_setting_does_not():
    unlike = sound_figures() | FAULTS["computed-otherwise"]
    found = judged(case(**unlike | FAULTS["vanishing-gradients"]))
    assert [finding.cause.name for finding in found.findings] == ["vanishing-gradients", "computed-otherwise"]
    assert judged(case(**unlike | FAULTS["weight-decay-too-strong"])).top == "computed-otherwise"


def test_means_over_much_of_the_run_are_not_compared_with_its_end():
    early = sound_figures() | {"replayed_loss": -2.0}
    assert judged(case(steps=60, **early)).is_healthy
    assert not judged(case(steps=100, **early)).is_healthy


def test_a_curve_that_jumps_proves_nothing_by_its_last_loss():
    wild = sound_figures() | FAULTS["learning-rate-too-high"] | {"replayed_loss": -9.0, "replayed_norm": 30.0}
    assert judged(case(**wild)).top == "learning-rate-too-high"


def test_what_is_seen_comes_before_what_follows_from_it():
    both = sound_figures() | FAULTS["data-repeated"] | FAULTS["dead-relu"]
    names = [finding.cause.name for finding in judged(case(**both)).findings]
    assert names == ["data-repeated", "tokenizer-mismatch", "dead-relu"]


def test_every_figure_has_a_band_and_every_band_a_meaning():
    assert bands().keys() == MEANINGS.keys()
    assert all(low < high for low, high in bands().values())


def test_examples_in_the_documentation():
    assert doctest.testmod(bands_module).failed == 0


def test_an_exhibit_that_is_not_there():
    with pytest.raises(ValueError, match="labels-shifted"):
        exhibit("label-shifted")


def test_the_command_refuses_what_is_no_run(tmp_path, capsys):
    assert main(["diagnose", str(tmp_path)]) == 2
    assert "no run here" in capsys.readouterr().err
    assert main(["diagnose"]) == 2
    assert main(["diagnose", "--museum", "nothing"]) == 2
    assert "labels-shifted" in capsys.readouterr().err
    assert main(["diagnose", str(tmp_path), "--seed", "3"]) == 2
    assert "--seed draws the museum's runs" in capsys.readouterr().err


def test_figures_are_shown_in_the_museum_too(capsys, monkeypatch):
    monkeypatch.setattr("mini_bert.cli.diagnose.visited", lambda *_: judged(case(shifted=0.3)))
    for options, shown in (((), False), (("--figures",), True)):
        main(["diagnose", "--museum", "labels-shifted", *options])
        assert ("sound from" in capsys.readouterr().out) is shown


def test_advice_is_printed_as_it_is_written(capsys):
    for cause in CAUSES:
        evidence = Evidence("unknown", Figure(0.5, 10, "encoder.layers.0"), Band(-inf, 0.2))
        show_finding(Finding(cause, [evidence]), Console(width=500), is_first=True)
        told = capsys.readouterr().out
        assert cause.remedy in told
        assert "words that are [UNK]: 0.5 at step 10, encoder.layers.0; sound: at most 0.2" in told


def test_a_diagnosis_as_plain_values():
    told = judged(case(**sound_figures() | FAULTS["layer-frozen"])).as_dict()
    assert told["healthy"] is False
    assert told["causes"][0]["cause"] == "layer-frozen"
    assert told["causes"][0]["evidence"][0]["low"] > 0
    assert Band(1, 2) == (1, 2)


def test_a_run_of_few_steps_is_not_called_healthy_too_loudly():
    assert judged(case(steps=20)).as_dict()["too_early_to_judge"]
    assert not judged(case(steps=200)).as_dict()["too_early_to_judge"]
