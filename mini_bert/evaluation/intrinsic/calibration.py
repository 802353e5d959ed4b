"""Does a model know how sure it may be of a hidden word?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.intrinsic.answers import Answers
from mini_bert.evaluation.intrinsic.hidden_word_scores import Contenders
from mini_bert.evaluation.intrinsic.questions import Questions
from mini_bert.evaluation.intrinsic.temperature import BINS, Heat, best_heat, error_of
from mini_bert.evaluation.section import Column, Kind, Picture, Row, Section, Table
from mini_bert.evaluation.subject import Subject
from mini_bert.metrics.calibration import reliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWS = 500


def brier_of_first(answers: Answers) -> float:
    """mean (confidence − right)²: of the first guess alone"""
    return float(((answers.confidence - answers.right) ** 2).mean())


def error_estimate(answers: Answers, row: Array, seed: int) -> Estimate:
    """The calibration error, from v − (high − v) to v − (low − v), low to high when rows are drawn anew.

    Chance adds to the error, and adds to it again when rows are drawn: seen from the value, what the draws are above it
    the truth is below (the basic bootstrap, Davison & Hinkley 1997). So the value may lie above its interval.
    """
    value = error_of(answers)
    rows, inverse = np.unique(row, return_inverse=True)
    R = len(rows)
    if R < 2:
        return Estimate(value)
    place = np.minimum(np.ceil(answers.confidence * BINS).astype(int) - 1, BINS - 1).clip(0)
    gaps = np.zeros((R, BINS))
    np.add.at(gaps, (inverse, place), answers.confidence - answers.right)
    drawn = np.random.default_rng(seed).multinomial(R, np.full(R, 1 / R), DRAWS)
    errors = np.abs(drawn @ gaps).sum(axis=1) / (drawn @ np.bincount(inverse))
    low, high = np.quantile(errors, [0.025, 0.975])
    return Estimate(value, max(0.0, 2 * value - float(high)), max(0.0, 2 * value - float(low)))


def section_of(subject: Subject, questions: Questions, found: Contenders, seed: int) -> Section:
    heat, row = best_heat(subject, questions), questions.row
    entries: dict[str, tuple[str, Kind, Answers]] = {
        "model": ("this model", "model", found.model),
        "neighbours": ("neighbouring words, counted", "baseline", found.counts.neighbours),
        "unigram": ("word frequencies", "baseline", found.counts.words),
        "random_weights": ("this network, random weights", "control", found.random_weights),
    }
    errors = {key: error_estimate(one, row, seed) for key, (_, _, one) in entries.items()}
    table = Table(
        "How sure, and how right",
        (
            Column("who guesses"),
            Column("mean confidence (%)"),
            Column("right (%)"),
            Column("calibration error (points)"),
            Column("Brier of the first guess", decimals=3),
        ),
        tuple(
            Row(
                (
                    name,
                    100 * float(one.confidence.mean()),
                    100 * float(one.right.mean()),
                    Estimate(*(None if end is None else 100 * end for end in errors[key])),  # type: ignore[arg-type]
                    brier_of_first(one),
                ),
                kind,
            )
            for key, (name, kind, one) in entries.items()
        ),
        f"The error is the mean distance between confidence and share right, in {BINS} bins of equal width; lower is "
        "better, and chance alone makes it greater than 0; the intervals, from rows drawn anew 500 times, take that "
        "off, so that an error may lie above its own. Who knows nothing and says so is calibrated too: read it beside "
        "the share that is right.",
    )
    return Section(
        "calibration",
        "Calibration",
        "Of all first guesses that a model is 80 % sure of, 80 % should be right. The questions are those of the exam "
        "before.",
        (table, heat_table(heat), bins_table(found.model)),
        {
            "calibration_error": errors["model"].value,
            "interval": [errors["model"].low, errors["model"].high],
            "brier_of_first_guess": brier_of_first(found.model),
            "mean_confidence": float(found.model.confidence.mean()),
            "bins": BINS,
            "baselines": {
                key: {"calibration_error": errors[key].value, "brier_of_first_guess": brier_of_first(one)}
                for key, (_, _, one) in entries.items()
                if key != "model"
            },
            "best_temperature": heat.temperature,
            "held_out_half": {
                "questions": heat.questions,
                "loss": heat.loss_before,
                "loss_at_best_temperature": heat.loss_after,
                "calibration_error": heat.error_before,
                "calibration_error_at_best_temperature": heat.error_after,
            },
            "reliability": bins_figures(found.model),
        },
        (
            Picture(
                "Confidence and truth", lambda: diagram(found), "On the diagonal, confidence is deserved."
            ),
        ),
    )


def heat_table(heat: Heat) -> Table:
    return Table(
        "The best temperature",
        (
            Column("temperature", decimals=2),
            Column("loss (nats)", decimals=3),
            Column("calibration error (points)"),
        ),
        (
            Row(("1, as it is", heat.loss_before, 100 * heat.error_before), "baseline"),
            Row((f"{heat.temperature:.2f}, the best", heat.loss_after, 100 * heat.error_after)),
        ),
        f"Fitted on one half of the rows, judged on {heat.questions:,} questions of the other. Above 1, the model is "
        "too sure of itself; below 1, not sure enough.",
    )


def bins_figures(answers: Answers) -> list[dict[str, Any]]:
    found = reliability(np.minimum(answers.confidence, 1.0), answers.right, BINS)
    return [
        {"low": low, "high": high, "words": int(cases), "confidence": confidence, "right": right}
        for low, high, cases, confidence, right in zip(
            *(
                column.tolist()
                for column in (found.low, found.high, found.cases, found.confidence, found.accuracy)
            ),
            strict=True,
        )
        if cases
    ]


def bins_table(answers: Answers) -> Table:
    return Table(
        "Reliability",
        (Column("confidence"), Column("words"), Column("mean confidence (%)"), Column("right (%)")),
        tuple(
            Row(
                (
                    f"{100 * one['low']:.0f}–{100 * one['high']:.0f} %",
                    one["words"],
                    100 * one["confidence"],
                    100 * one["right"],
                )
            )
            for one in bins_figures(answers)
        ),
        "Of this model.",
    )


def diagram(found: Contenders) -> Figure:
    from mini_bert.plots.reliability import reliability_diagram

    kinds = {"this model": found.model, "neighbouring words, counted": found.counts.neighbours}
    return reliability_diagram(
        {name: reliability(np.minimum(one.confidence, 1.0), one.right, BINS) for name, one in kinds.items()},
        "words found (%)",
    )
