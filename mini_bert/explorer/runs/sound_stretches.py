"""Where the loss and the gradient norm of sound runs lie, at their beginning and at their end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from mini_bert.diagnosis.bands import bands
from mini_bert.explorer.runs.panel import Stretch
from mini_bert.plots.series import Series
from mini_bert.run_reports.history import Line

TAIL = 0.1
"""The diagnosis takes the loss at the end from this share of the lines."""


def loss_bands(lines: Sequence[Line], facts: Mapping[str, Any]) -> Iterator[Stretch]:
    """Where sound runs begin, and below what they end."""
    uniform, unigram = facts.get("uniform_loss"), facts.get("unigram_loss")
    if not lines or not uniform:
        return
    first, last = lines[0]["step"], lines[-1]["step"]
    start, progress = bands()["first_loss"], bands()["progress"]
    yield Stretch("sound runs begin here", start.low * uniform, start.high * uniform, 0, first)
    if unigram and unigram < uniform:
        high = uniform - progress.low * (uniform - unigram)
        yield Stretch("sound runs end below this", None, high, last - TAIL * (last - first), last)


def norm_bands(norm: Series) -> Iterator[Stretch]:
    """Where the first norm of sound runs lies, and, beside this run's first quarter, that of their last quarter."""
    known = np.isfinite(norm.values)
    steps, values = norm.steps[known], norm.values[known]
    if not len(values):
        return
    quarter = max(1, len(values) // 4)
    first, growth = bands()["first_norm"], bands()["norm_growth"]
    yield Stretch("sound runs begin here", first.low, first.high, 0, float(steps[0]))
    at_first = median(values[:quarter].tolist())
    start = float(steps[-quarter])
    if start > steps[0]:
        yield Stretch(
            "and end here, having begun so",
            growth.low * at_first,
            growth.high * at_first,
            start,
            float(steps[-1]),
        )
