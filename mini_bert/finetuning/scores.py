"""Scores of answers, and how sure they are.

The accuracy of texts has Wilson's interval. All others have one from drawing as many examples again, with replacement
(Efron 1979): a sentence is drawn as a whole, for its words are no independent cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate, share
from mini_bert.evaluation.metrics.classification import matthews_correlation
from mini_bert.evaluation.metrics.entities import EntityScores, entity_scores
from mini_bert.finetuning.tasks import Answer, Metric

ROUNDS = 1000
LOW, HIGH = 0.025, 0.975


def score(metric: Metric, right: Sequence[Answer], told: Sequence[Answer], seed: int = 0) -> Estimate:
    """With its 95 % interval; the seed draws the examples again."""
    cases = CASES[metric](right, told)
    if metric == "accuracy" and isinstance(right[0], str):
        return share(int(cases.rows[:, 0].sum()), len(cases.rows))
    rng, N = np.random.default_rng(seed), len(cases.rows)
    again = [cases.statistic(cases.rows[rng.integers(N, size=N)]) for _ in range(ROUNDS)]
    low, high = np.quantile(again, [LOW, HIGH])
    return Estimate(cases.statistic(cases.rows), float(low), float(high))


def point_score(metric: Metric, right: Sequence[Answer], told: Sequence[Answer]) -> float:
    """Without the interval, which takes longer."""
    cases = CASES[metric](right, told)
    return cases.statistic(cases.rows)


class Cases(NamedTuple):
    """What each example adds to a score, (N, m), and the score of some of them."""

    rows: Array
    statistic: Callable[[Array], float]


def accuracy(right: Sequence[Answer], told: Sequence[Answer]) -> Cases:
    """(right, all) of each text, or of the words of each sentence."""
    rows = [
        (sum(a == b for a, b in zip(wanted, found, strict=True)), len(wanted))
        for wanted, found in zip(map(each, right), map(each, told), strict=True)
    ]
    return Cases(np.array(rows), lambda rows: float(rows[:, 0].sum() / max(rows[:, 1].sum(), 1)))


def matthews(right: Sequence[Answer], told: Sequence[Answer]) -> Cases:
    """(right class, told class) of each text."""
    names = sorted({str(answer) for answer in (*right, *told)})
    rows = [(names.index(str(a)), names.index(str(b))) for a, b in zip(right, told, strict=True)]
    return Cases(np.array(rows), lambda rows: matthews_correlation(rows[:, 0], rows[:, 1]))


def f1(right: Sequence[Answer], told: Sequence[Answer]) -> Cases:
    """(right, told, true) entities of each sentence."""
    rows = [entity_scores([each(a)], [each(b)]) for a, b in zip(right, told, strict=True)]
    return Cases(np.array(rows), lambda rows: EntityScores(*rows.sum(0).tolist()).f1)


def each(answer: Answer) -> tuple[str, ...]:
    return (answer,) if isinstance(answer, str) else answer


CASES: dict[Metric, Callable[[Sequence[Answer], Sequence[Answer]], Cases]] = {
    "accuracy": accuracy,
    "matthews": matthews,
    "f1": f1,
}
