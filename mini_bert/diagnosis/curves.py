"""Figures from the lines of metrics.jsonl: the loss, the gradient norm, troubles, and how often the text was read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf, isfinite
from statistics import fmean, median
from typing import Any

from mini_bert.diagnosis.figures import Figure, Figures

Line = dict[str, Any]
TAIL = 0.1
"""The share of the lines whose mean is the loss at the end."""
FEWEST_LINES = 3
"""That are taken together to see the loss climb: a line of few words may be low by chance."""
NOT_FINITE = re.compile(r"step (\d+): not finite")


def figures_of_curves(lines: Sequence[Line], facts: dict[str, Any]) -> Figures:
    if not lines:
        return {}
    last = lines[-1]["step"]
    found = {"epochs": Figure(lines[-1].get("epoch", 0) + 1, last), "not_finite": of_bursts(lines)}
    lines = [line for line in lines if not is_all_spikes(line)]
    if not lines:
        return found
    losses = [number(line["loss"]) for line in lines]
    norms = [number(line["gradient_norm"]) for line in lines]
    end = fmean(losses[-max(1, round(TAIL * len(losses))) :])
    if isfinite(min(losses)):
        found["rebound"] = Figure(end - min(losses), last)
        found |= of_climb(losses, last)
    found["first_norm"] = Figure(norms[0], lines[0]["step"])
    if known := [norm for norm in norms if isfinite(norm)]:
        found["norm_growth"] = Figure(growth(known), last)
    if uniform := facts.get("uniform_loss"):
        found["first_loss"] = Figure(losses[0] / uniform, lines[0]["step"])
        worst = max(range(len(losses)), key=lambda i: losses[i] if i else -inf)
        found["worst_loss"] = Figure(losses[worst] / uniform, lines[worst]["step"])
        if (unigram := facts.get("unigram_loss")) and unigram < uniform:
            found["progress"] = Figure((uniform - end) / (uniform - unigram), last)
    scored = [line for line in lines if line.get("held_out_loss") is not None]
    if scored:
        found["gap"] = Figure(scored[-1]["held_out_loss"] - end, scored[-1]["step"])
    return found


def of_climb(losses: Sequence[float], last: int) -> Figures:
    """How far the mean of the last lines is above that of the best ones that follow one another."""
    n = max(FEWEST_LINES, round(TAIL * len(losses)))
    means = [fmean(losses[first : first + n]) for first in range(len(losses) - n + 1)]
    if not means or not isfinite(means[-1]):
        return {}
    return {"climb": Figure(means[-1] - min(means), last)}


def of_bursts(lines: Sequence[Line]) -> Figure:
    """How many steps were not finite; `where` quotes what was told of the first."""
    told = [trouble for line in lines for trouble in line.get("troubles", ())]
    found = [(int(match[1]), trouble) for trouble in told if (match := NOT_FINITE.match(trouble))]
    found += [
        (line["step"], f"step {line['step']}: the logged loss is not finite")
        for line in lines
        if line["loss"] is None and not line.get("troubles")
    ]
    step, first = min(found, default=(lines[-1]["step"], ""))
    return Figure(len(found), step, first)


def is_all_spikes(line: Line) -> bool:
    """Whether a line has no loss because all its steps were skipped, each with a gradient too large yet finite."""
    troubles = line.get("troubles", ())
    return line["loss"] is None and bool(troubles) and not any(map(NOT_FINITE.match, troubles))


def number(value: float | None) -> float:
    """JSON has no infinity: what was not finite is null there."""
    return inf if value is None else value


def growth(norms: Sequence[float]) -> float:
    quarter = max(1, len(norms) // 4)
    return median(norms[-quarter:]) / max(median(norms[:quarter]), 1e-30)
