"""One drawing of a run: its curves, and what they are to be compared with.

A band is where sound runs lie, as the diagnosis knows it; it holds for a part of the steps only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mini_bert.plots.series import Series, thinned

MOST_POINTS = 1000


class Stretch(NamedTuple):
    """From one step to another, sound runs lie between `low` and `high`; None: there is no such limit."""

    name: str
    low: float | None
    high: float | None
    first: float
    last: float


@dataclass(frozen=True)
class Panel:
    """One drawing: curves by name, levels to compare with, bands, and a sentence on how to read it."""

    key: str
    title: str
    unit: str
    note: str
    curves: Mapping[str, Series]
    levels: Mapping[str, float]
    bands: tuple[Stretch, ...] = ()
    is_logarithmic: bool = False

    def after(self, step: int) -> Panel:
        """Only what came later; from the beginning, long curves are thinned."""
        if step < 0:
            return replace(
                self, curves={name: thinned(one, MOST_POINTS) for name, one in self.curves.items()}
            )
        later = {name: one.steps > step for name, one in self.curves.items()}
        return replace(
            self,
            curves={
                name: Series(one.steps[later[name]], one.values[later[name]])
                for name, one in self.curves.items()
                if later[name].any()
            },
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "title": self.title,
            "unit": self.unit,
            "note": self.note,
            "log": self.is_logarithmic,
            "curves": [
                {"name": name, "x": one.steps.round().astype(np.int32), "y": one.values.astype(np.float32)}
                for name, one in self.curves.items()
            ],
            "levels": [{"name": name, "value": value} for name, value in self.levels.items()],
            "bands": [band._asdict() for band in self.bands],
        }
