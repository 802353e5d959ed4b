"""What structural probes found, layer by layer, and which layer that speaks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from mini_bert.evaluation.estimate import Estimate
from mini_bert.evaluation.probing.tree_scores import TreeScores, share_found, uuas


@dataclass(frozen=True)
class Runs:
    """Probes of several seeds on the same layer, each judged on dev and on test."""

    dev: Sequence[TreeScores]
    test: Sequence[TreeScores]

    @classmethod
    def together(cls, runs: Sequence[Self]) -> Self:
        return cls([one for run in runs for one in run.dev], [one for run in runs for one in run.test])

    @cached_property
    def uuas(self) -> Estimate:
        return uuas([run.words for run in self.test])

    @cached_property
    def uuas_without_punctuation(self) -> Estimate:
        return uuas([run.content for run in self.test])

    @cached_property
    def uuas_on_dev(self) -> float:
        return share_found([run.words for run in self.dev])

    @cached_property
    def spearman(self) -> float | None:
        known = [run.spearman for run in self.test if run.spearman is not None]
        return float(np.mean(known)) if known else None


@dataclass(frozen=True)
class Findings:
    """Of the model, of the same network with random weights, of positions alone, and of trees without any probe."""

    layers: Sequence[Runs]
    random_layers: Sequence[Runs]
    positions: Runs
    linear_chain: TreeScores
    random_tree: TreeScores

    @cached_property
    def layer(self) -> int:
        return best_layer(self.layers)

    @cached_property
    def random_layer(self) -> int:
        return best_layer(self.random_layers)


def best_layer(layers: Sequence[Runs]) -> int:
    """The one whose probes found most edges of dev; the lower one of equals."""
    return int(np.argmax([runs.uuas_on_dev for runs in layers]))
