"""A cause: what may be wrong, how it shows, and what helps.

A cause looks at the figures of a case and returns its evidence, none if it is not to be suspected. Its `weight` says
how near the evidence is to the mistake itself; the nearest one is named first, for it explains the others:

    SEEN        what the model was shown or asked is not what the settings say
    RECOMPUTED  the log differs from what sound code makes of the same text and weights
    SETTING     a setting that is out of proportion, and the harm it does
    SYMPTOM     the state of the model, which several mistakes may lead to
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from math import inf

from mini_bert.diagnosis.bands import Band
from mini_bert.diagnosis.figures import Figure
from mini_bert.diagnosis.measuring import Case


class Weight(IntEnum):
    SYMPTOM = 1
    SETTING = 2
    RECOMPUTED = 3
    SEEN = 4


@dataclass(frozen=True)
class Evidence:
    """A figure, and the limits it has left."""

    name: str
    figure: Figure
    band: Band


class Look:
    """The figures of a case beside their bands. A figure that is not known is never outside."""

    def __init__(self, case: Case, reference: Mapping[str, Band]) -> None:
        self.case, self.reference = case, reference

    def above(self, name: str, at_least: float = -inf) -> list[Evidence]:
        """Evidence if a figure is above its band, and above the limit that theory gives."""
        return self.beyond(name, Band(-inf, max(self.reference[name].high, at_least)))

    def below(self, name: str, at_most: float = inf) -> list[Evidence]:
        return self.beyond(name, Band(min(self.reference[name].low, at_most), inf))

    def outside(self, name: str) -> list[Evidence]:
        return self.beyond(name, self.reference[name])

    def beyond(self, name: str, band: Band) -> list[Evidence]:
        """Evidence if a figure is outside the limits given, whatever its band."""
        figure = self.case.figures.get(name)
        if figure is None or band.low <= figure.value <= band.high:
            return []
        return [Evidence(name, figure, band)]

    def burst(self) -> list[Evidence]:
        """Evidence if the loss or a gradient was not finite."""
        return self.beyond("not_finite", Band(-inf, 0))

    def value(self, name: str) -> float | None:
        figure = self.case.figures.get(name)
        return figure and figure.value


@dataclass(frozen=True)
class Cause:
    name: str
    title: str
    weight: Weight
    meaning: str
    remedy: str
    evidence: Callable[[Look], list[Evidence]]
    is_general: bool = False
    """a general one comes behind those that say more"""


def together(*parts: list[Evidence]) -> list[Evidence]:
    """All of the evidence, or none if a part of it is missing."""
    return [entry for part in parts for entry in part] if all(parts) else []
