"""What probes of one task have found, and which layer dev chooses.

One kind of probe speaks for a task: it chooses the layer, and random weights and code lengths are judged by it. That is
the linear one, but for edges the MLP: whether two words go together is no sum of what each of them tells by itself, and
such sums are all that a linear map of both vectors can say. It could not learn the control task of edges either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.probing import baselines
from mini_bert.evaluation.probing.classifier import Kind
from mini_bert.evaluation.probing.description_length import CodeLength
from mini_bert.evaluation.probing.intervals import Ratio, per_group, ratio
from mini_bert.evaluation.probing.task import Part, Task
from mini_bert.metrics.entities import EntityScores, entity_scores


class Answers(NamedTuple):
    """Of one probe: its score on dev, and the labels (N,) it gives to test."""

    dev: float
    test: Array


ByLayer = dict[int, list[Answers]]
"""layer → answers of each seed"""


def of_both_kinds() -> dict[Kind, ByLayer]:
    return {"linear": {}, "mlp": {}}


@dataclass
class Findings:
    """All probes of a task. A control's answers are to its own labels, kept in `control_tasks` by seed."""

    task: Task
    control_tasks: list[Task]
    probes: dict[Kind, ByLayer] = field(default_factory=of_both_kinds)
    controls: dict[Kind, ByLayer] = field(default_factory=of_both_kinds)
    random: ByLayer = field(default_factory=dict)
    codes: dict[int, list[CodeLength]] = field(default_factory=dict)
    control_codes: list[CodeLength] = field(default_factory=list)
    random_codes: list[CodeLength] = field(default_factory=list)

    @property
    def kind(self) -> Kind:
        """The probe that speaks for the task."""
        return "mlp" if self.task.name == "edges" else "linear"

    @property
    def other(self) -> Kind:
        """The probe beside it."""
        return "linear" if self.kind == "mlp" else "mlp"

    @property
    def speaking(self) -> ByLayer:
        return self.probes[self.kind]

    @cached_property
    def majority(self) -> Array:
        return baselines.majority(self.task)

    @cached_property
    def most_frequent(self) -> Array:
        return baselines.most_frequent(self.task)

    @cached_property
    def ambiguous(self) -> Array:
        return baselines.ambiguous(self.task)

    @cached_property
    def unseen(self) -> Array:
        return baselines.unseen(self.task)

    @property
    def layer(self) -> int:
        """The layer whose probes are best on dev; of equals the lowest."""
        return best_layer(self.speaking)

    @property
    def random_layer(self) -> int:
        return best_layer(self.random)

    def accuracy(self, answers: Sequence[Answers], where: Array | None = None) -> Estimate:
        """On test, or on those of its examples that a mask (N,) names."""
        return accuracy([self.task] * len(answers), [one.test for one in answers], where).estimate

    def told(self, labels: Array, where: Array | None = None) -> Estimate:
        """The accuracy of labels (N,) that no probe has given."""
        return accuracy([self.task], [labels], where).estimate

    def control_accuracy(self, layer: int, kind: Kind) -> Estimate:
        return accuracy(self.control_tasks, [one.test for one in self.controls[kind][layer]]).estimate

    def selectivity(self, layer: int, kind: Kind) -> Estimate:
        """accuracy − accuracy on the control task"""
        own, control = self.probes[kind][layer], self.controls[kind][layer]
        on_task = accuracy([self.task] * len(own), [one.test for one in own])
        return on_task.minus(accuracy(self.control_tasks, [one.test for one in control])).estimate

    def f1(self, labels: Sequence[Array]) -> Estimate:
        """2 right / (told + true) of whole entities, for labels (N,) of each seed"""
        test = self.task.test
        found = np.array([span_counts(self.task, test, one) for one in labels])  # (seeds, sentences, 3)
        right, told, true = found[..., 0], found[..., 1], found[..., 2]
        return ratio(2 * right, told + true).estimate


def accuracy(tasks: Sequence[Task], told: Sequence[Array], where: Array | None = None) -> Ratio:
    """Right labels over all labels, for the answers of each seed to its own task on the same sentences."""
    over, under = [], []
    for task, labels in zip(tasks, told, strict=True):
        asked = np.ones(len(task.test)) if where is None else where.astype(float)
        right = (labels == task.test.labels) * asked
        of_task = per_group(np.stack([right, asked]), task.test.sentence_of, len(task.test.sentences))
        over.append(of_task[0])
        under.append(of_task[1])
    return ratio(np.array(over), np.array(under))


def best_layer(found: Mapping[int, Sequence[Answers]]) -> int:
    return max(sorted(found), key=lambda layer: fmean(one.dev for one in found[layer]))


def score(task: Task, of: Part, told: Array) -> float:
    """What a layer is chosen by: F1 of entities where these are asked for, else accuracy."""
    if task.name == "entities":
        return span_f1(task, of, told)
    return float((told == of.labels).mean())


def span_f1(task: Task, of: Part, told: Array) -> float:
    right, told_count, true = np.sum(span_counts(task, of, told), axis=0).tolist()
    return EntityScores(right, told_count, true).f1


def span_counts(task: Task, of: Part, told: Array) -> list[EntityScores]:
    """For each sentence."""
    pairs = zip(by_sentence(task, of, of.labels), by_sentence(task, of, told), strict=True)
    return [entity_scores([true], [guess]) for true, guess in pairs]


def by_sentence(task: Task, of: Part, labels: Array) -> list[list[str]]:
    names = np.array(task.classes, object)[labels].tolist()
    starts = of.starts.tolist()
    return [names[start:end] for start, end in pairwise(starts)]
