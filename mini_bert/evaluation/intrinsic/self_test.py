"""What each metric means, by cases whose answer is known: a learner can check them by head."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import share
from mini_bert.evaluation.intrinsic.metrics import compute_gradient_norm, compute_perplexity, masked_accuracy
from mini_bert.evaluation.intrinsic.temperature import best_temperature
from mini_bert.evaluation.section import Column, Row, Section, Table
from mini_bert.metrics.calibration import brier_score, expected_calibration_error
from mini_bert.metrics.classification import macro_f1, matthews_correlation
from mini_bert.metrics.ranking import spearman
from mini_bert.tokenizers.special import MASK_ID
from mini_bert.training.masking import Disguise, Masking, masked_words

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Check:
    """A metric, a case in words, and what must come out."""

    metric: str
    case: str
    expected: float
    got: float

    @property
    def passed(self) -> bool:
        return bool(abs(self.got - self.expected) <= TOLERANCE * max(1.0, abs(self.expected)))


Case = tuple[str, str, float, Callable[[], float]]


def cases() -> Iterator[Case]:
    always_the_first = np.zeros((1, 4, 8))
    always_the_first[..., 0] = 5.0
    everywhere = np.ones((1, 4), int)
    yield (
        "masked_accuracy",
        "says word 0 four times; the words are 0, 3, 5, 7",
        0.25,
        lambda: masked_accuracy(always_the_first, [[0, 3, 5, 7]], everywhere),
    )
    yield (
        "masked_accuracy",
        "the same, but only the first word was hidden",
        1.0,
        lambda: masked_accuracy(always_the_first, [[0, 3, 5, 7]], [[1, 0, 0, 0]]),
    )
    falling = np.broadcast_to(-np.arange(8.0), (1, 4, 8))
    yield (
        "masked_accuracy, top=5",
        "guesses 0, 1, 2, 3, 4 in this order; the words are 0, 4, 5, 7",
        0.5,
        lambda: masked_accuracy(falling, [[0, 4, 5, 7]], everywhere, top=5),
    )
    yield ("compute_perplexity", "sure of every word, and right", 1.0, lambda: compute_perplexity(0.0))
    yield (
        "compute_perplexity",
        "all 8,192 words are as likely: it hesitates between them",
        8192.0,
        lambda: compute_perplexity(log(8192)),
    )
    yield (
        "compute_perplexity",
        "p = 1/2 of one word, 1/8 of another: as of two with 1/4",
        4.0,
        lambda: compute_perplexity([log(2), log(8)]),
    )
    yield (
        "compute_gradient_norm",
        "one weight with gradient 3, one with 4: a right triangle",
        5.0,
        lambda: compute_gradient_norm({"a": np.array([3.0]), "b": np.array([[4.0]])}),
    )
    yield from cases_of_calibration()
    yield from cases_of_labels()
    yield (
        "hidden words",
        "15 % of a row of 64 tokens, rounded, all of them [MASK]",
        10.0,
        lambda: hidden_in_a_row(64),
    )


def cases_of_calibration() -> Iterator[Case]:
    eight_of_ten = np.arange(10) < 8
    yield (
        "expected_calibration_error",
        "80 % sure of ten guesses, eight are right",
        0.0,
        lambda: expected_calibration_error(np.full(10, 0.8), eight_of_ten),
    )
    yield (
        "expected_calibration_error",
        "quite sure of ten guesses, five are right",
        0.5,
        lambda: expected_calibration_error(np.ones(10), np.arange(10) < 5),
    )
    yield (
        "brier_score",
        "p = 1/2 for each of two classes: 1/4 for either",
        0.5,
        lambda: brier_score(np.array([[0.5, 0.5]]), np.array([0])),
    )
    yield ("best_temperature", "logits twice as far apart as they should be", 2.0, temperature_of_doubled)


def cases_of_labels() -> Iterator[Case]:
    truth, guess = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])
    yield (
        "macro_f1",
        "0, 0, 1, 1 told as 0, 1, 1, 1: 2/3 and 4/5, their mean",
        (2 / 3 + 4 / 5) / 2,
        lambda: macro_f1(truth, guess),
    )
    yield (
        "matthews_correlation",
        "the same labels",
        1 / sqrt(3),
        lambda: matthews_correlation(truth, guess),
    )
    yield (
        "spearman",
        "1, 2, 3 beside 1, 8, 27: the same order",
        1.0,
        lambda: spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 8.0, 27.0])),
    )
    yield (
        "interval of a share",
        "0 of 10 right: the share may still be 27.8 % (Wilson)",
        0.27753279,
        lambda: share(0, 10).high or 0.0,
    )


def temperature_of_doubled() -> float:
    p = np.array([0.7, 0.2, 0.1])
    words = np.repeat([0, 1, 2], [7, 2, 1])
    doubled: Array = np.broadcast_to(2 * np.log(p), (10, 3))
    return best_temperature(doubled, words)


def hidden_in_a_row(T: int) -> float:
    """How many [MASK] there are in a masked row, if nothing else was changed; −1 if something was."""
    row = np.arange(10, 10 + T)[None]
    masking = Masking(10 + T, disguise=Disguise(hidden=1.0, replaced=0.0))
    shown = masking(row, masked_words(T), np.random.default_rng(0)).ids
    changed = shown != row
    return float(changed.sum()) if (shown[changed] == MASK_ID).all() else -1.0


def checks() -> list[Check]:
    return [Check(metric, case, expected, compute()) for metric, case, expected, compute in cases()]


def section() -> Section:
    found = checks()
    passed = sum(check.passed for check in found)
    return Section(
        "self-test",
        "What the metrics mean",
        "Each metric on a case whose answer is known.",
        (
            Table(
                "Known answers",
                (
                    Column("metric and case"),
                    Column("expected", decimals=4),
                    Column("got", decimals=4),
                    Column("passed"),
                ),
                tuple(
                    Row(
                        (
                            f"{check.metric}: {check.case}",
                            check.expected,
                            check.got,
                            "yes" if check.passed else "NO",
                        )
                    )
                    for check in found
                ),
                f"{passed} of {len(found)} passed.",
            ),
        ),
        {
            "passed": passed == len(found),
            "checks": [
                {
                    "metric": check.metric,
                    "case": check.case,
                    "expected": check.expected,
                    "got": check.got,
                    "passed": check.passed,
                }
                for check in found
            ],
        },
    )
