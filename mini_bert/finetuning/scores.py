"""Scores of answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.finetuning.tasks import Answer, Metric
from mini_bert.metrics.classification import matthews_correlation
from mini_bert.metrics.entities import EntityScores, entity_scores


def point_score(metric: Metric, right: Sequence[Answer], told: Sequence[Answer]) -> float:
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
