"""Reference bands: where the figures of sound runs lie, as measured by `python -m benchmarks.reference_bands`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from mini_bert.diagnosis.figures import MEANINGS, RATIOS, Scale

FILE = "bands.json"
MARGINS: dict[Scale, float] = {
    "ratio": 3.0,
    "replay": 1.5,
    "loss": 1.1,
    "nats": 0.25,
    "share": 0.05,
    "count": 0.5,
}
"""How far beyond the measured runs the band goes on: some twenty runs have not seen the rarest sound one.

A ratio may be three times as far, that of a replay one and a half times, a loss beside ln V a tenth,
a difference of losses a quarter of a nat, a share five points, a count not even by one.
"""


class Band(NamedTuple):
    """Where sound runs lie."""

    low: float
    high: float


@cache
def bands() -> dict[str, Band]:
    """The band of each figure that was measured."""
    text = files("mini_bert").joinpath("diagnosis", FILE).read_text("utf-8")
    return {
        name: widened(found["lowest"], found["highest"], MEANINGS[name].scale)
        for name, found in json.loads(text)["figures"].items()
    }


def widened(lowest: float, highest: float, scale: Scale) -> Band:
    """
    >>> widened(0.5, 2.0, "ratio"), widened(0.1, 0.5, "nats")
    (Band(low=0.16666666666666666, high=6.0), Band(low=-0.15, high=0.75))
    """
    margin = MARGINS[scale]
    if scale in RATIOS:
        return Band(lowest / margin, highest * margin)
    return Band(lowest - margin, highest + margin)
