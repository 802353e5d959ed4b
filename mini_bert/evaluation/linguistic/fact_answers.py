"""How many facts of each relation a model has right, and whether all wordings of one get the same answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from mini_bert.evaluation.estimate import Estimate, wilson
from mini_bert.evaluation.linguistic.cloze_answers import Answer, cloze_answers
from mini_bert.evaluation.linguistic.fact_items import Relation
from mini_bert.evaluation.subject import Subject
from mini_bert.reports import Report

TOP = 5


class Found(NamedTuple):
    """Shares that are right: among the relation's answers, among all words, among the best five of all words.

    `consistent` is the share of pairs of wordings of a fact that get the same answer of the relation; None without any.
    """

    facts: int
    among: Estimate
    first: Estimate
    five: Estimate
    consistent: float | None


Measure = Literal["among", "first", "five"]
Results = dict[str, Found]
"""By relation."""


def answered(subject: Subject, asked: Sequence[Relation], blind: bool, report: Report) -> dict[str, Found]:
    """What was found of each relation."""
    clozes = [[item.blind if blind else item.clozes for item in relation.items] for relation in asked]
    flat = [cloze for relation in clozes for item in relation for cloze in item]
    ids = [
        list(relation.candidates.values())
        for relation, items in zip(asked, clozes, strict=True)
        for item in items
        for _ in item
    ]
    answers = iter(cloze_answers(subject, flat, ids, TOP, report))
    return {
        relation.name: found_of(relation, [[next(answers) for _ in item] for item in items])
        for relation, items in zip(asked, clozes, strict=True)
    }


def found_of(relation: Relation, answers: Sequence[Sequence[Answer]]) -> Found:
    among: list[float] = []
    first: list[float] = []
    five: list[float] = []
    agreeing: list[bool] = []
    ids = list(relation.candidates.values())
    for item, wordings in zip(relation.items, answers, strict=True):
        true = relation.candidates[item.answer]
        chosen = [ids[int(np.argmax(answer.log_p))] for answer in wordings]
        among.append(mean([guess == true for guess in chosen]))
        first.append(mean([answer.best[0] == true for answer in wordings]))
        five.append(mean([true in answer.best for answer in wordings]))
        agreeing += [a == b for a, b in combinations(chosen, 2)]
    return Found(
        len(answers),
        of_facts(among),
        of_facts(first),
        of_facts(five),
        float(np.mean(agreeing)) if agreeing else None,
    )


def mean(right: Sequence[bool]) -> float:
    return sum(map(bool, right)) / len(right)


def of_facts(values: Sequence[float]) -> Estimate:
    """The mean over facts; wordings of one fact are not independent, so the interval is that of so many facts."""
    return wilson(sum(values) / len(values), len(values))


def overall(found: Mapping[str, Found], measure: Measure) -> Estimate:
    """The mean over all facts."""
    facts = sum(one.facts for one in found.values())
    return wilson(sum(one.facts * getattr(one, measure).value for one in found.values()) / facts, facts)


def consistency(found: Mapping[str, Found]) -> float | None:
    told = [(one.facts, one.consistent) for one in found.values() if one.consistent is not None]
    return sum(n * c for n, c in told) / sum(n for n, _ in told) if told else None
