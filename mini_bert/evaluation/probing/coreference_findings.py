"""What probes of coreference found, layer by layer, beside rules that need no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.probing.classifier import Kind
from mini_bert.evaluation.probing.coreference_cases import Case, Cases
from mini_bert.evaluation.probing.description_length import CodeLength
from mini_bert.evaluation.probing.intervals import Ratio, per_group, ratio


class Run(NamedTuple):
    """Probes of one layer and one seed.

    `hits[kind][part]` (cases,) is 1 where an answer was right; parts are dev_new, new and known. `pairs` (N,) is 1
    where the linear probe judged a pair of known words right, `control` (N,) where it told the control task's label.
    Then code lengths, of the true labels and of the control, where they were asked for.
    """

    hits: dict[Kind, dict[str, Array]]
    pairs: Array
    control: Array
    codes: list[CodeLength]


Runs = Sequence[Run]
"""Of one layer, with several seeds."""


class MostFrequent(NamedTuple):
    """Shares of pairs of known words that the most frequent answer gets right: of the task, and of the control."""

    pairs: float
    control: float


@dataclass(frozen=True)
class Findings:
    """Cases with new and with known candidates; runs of each layer of the model, and of random weights."""

    new: Cases
    known: Cases
    layers: Sequence[Runs]
    random_layers: Sequence[Runs]
    most_frequent: MostFrequent

    @cached_property
    def layer(self) -> int:
        return best_layer(self.layers)

    @cached_property
    def random_layer(self) -> int:
        return best_layer(self.random_layers)

    def accuracy(
        self, runs: Runs, kind: Kind = "linear", chosen: Array | None = None, known: bool = False
    ) -> Estimate:
        """Share of cases with the right answer, of all or of those that are chosen (cases,)."""
        part, cases = ("known", self.known) if known else ("new", self.new)
        return share(cases, np.stack([run.hits[kind][part] for run in runs]), chosen)


def pair_shares(cases: Cases, runs: Runs) -> tuple[Estimate, Estimate, Estimate]:
    """Of pairs judged right, of those of the control task, and the difference: selectivity."""
    stories = np.repeat(cases.stories, np.diff(np.append(cases.starts, len(cases.pairs))))
    pairs, control = (
        in_stories(np.stack(right), stories)
        for right in ([run.pairs for run in runs], [run.control for run in runs])
    )
    return pairs.estimate, control.estimate, pairs.minus(control).estimate


def share(cases: Cases, hits: Array, chosen: Array | None = None) -> Estimate:
    """hits (runs, cases) or (cases,); cases of one story belong together"""
    counted = np.ones(len(cases)) if chosen is None else chosen.astype(float)
    return in_stories(np.atleast_2d(hits), cases.stories, counted).estimate


def in_stories(right: Array, stories: Array, counted: Array | float = 1.0) -> Ratio:
    """right (runs, N) over those that are counted"""
    cases = np.broadcast_to(counted, right.shape)
    size = int(stories.max()) + 1
    return ratio(per_group(right * cases, stories, size), per_group(cases, stories, size))


def best_layer(layers: Sequence[Runs]) -> int:
    """The one whose linear probes answer best on dev; the lower one of equals."""
    return int(
        np.argmax([np.mean([run.hits["linear"]["dev_new"].mean() for run in runs]) for runs in layers])
    )


def nearest(cases: Sequence[Case]) -> Array:
    """Whether the last candidate before the pronoun is right (cases,)."""
    return np.array([case.right[-1] for case in cases])


def first(cases: Sequence[Case]) -> Array:
    """Whether the first candidate of the window is right."""
    return np.array([case.right[0] for case in cases])


def nearest_of_gender(cases: Sequence[Case]) -> Array:
    """Whether the last candidate is right of those whose gold gender is the pronoun's."""

    def answer(case: Case) -> bool:
        fitting = [right for right, fits in zip(case.right, case.of_gender, strict=True) if fits]
        return bool(fitting) and fitting[-1]

    return np.array([answer(case) for case in cases])


def chance(cases: Sequence[Case]) -> float:
    """The share of right answers of someone who names any candidate."""
    return float(np.mean([np.mean(case.right) for case in cases]))


def groups_of(cases: Sequence[Case]) -> dict[str, Array]:
    """Which cases (cases,) have their nearest right candidate so far back, and which are hard."""
    back = np.array([case.sentences_back for case in cases])
    return {
        "same sentence": back == 0,
        "one sentence before": back == 1,
        "further back": back > 1,
        "a rival of the same gender": np.array([case.has_rival for case in cases]),
    }
