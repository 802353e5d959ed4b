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
from mini_bert.evaluation.probing.resampling import share_in_groups


class Run(NamedTuple):
    """Probes of one layer and one seed.

    `hits[kind][part]` (cases,) is 1 where an answer was right, `pairs[part]` the share of pairs that the linear
    probe judged right; parts are dev_new, new and known. Then the share of pairs of the control task, and code
    lengths, of the true labels and of the control, where they were asked for.
    """

    hits: dict[Kind, dict[str, Array]]
    pairs: dict[str, float]
    control: float
    codes: list[CodeLength]

    @property
    def selectivity(self) -> float:
        return self.pairs["known"] - self.control


Runs = Sequence[Run]
"""Of one layer, with several seeds."""


@dataclass(frozen=True)
class Findings:
    """Cases with new and with known candidates; runs of each layer of the model, and of random weights."""

    new: Cases
    known: Cases
    layers: Sequence[Runs]
    random_layers: Sequence[Runs]

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


def share(cases: Cases, hits: Array, chosen: Array | None = None) -> Estimate:
    """hits (runs, cases) or (cases,); cases of one story belong together"""
    counted = np.ones(len(cases)) if chosen is None else chosen.astype(float)
    totals = np.bincount(cases.stories, counted)
    right = np.stack([np.bincount(cases.stories, run * counted) for run in np.atleast_2d(hits)])
    return share_in_groups(right[:, totals > 0], totals[totals > 0])


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
