"""Figures from the lines of metrics.jsonl: the loss, the gradient norm, and how often the text was read."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from statistics import fmean, median
from typing import Any

from mini_bert.diagnosis.figures import Figure, Figures

Line = dict[str, Any]
TAIL = 0.1
"""The share of the lines whose mean is the loss at the end."""


def figures_of_curves(lines: Sequence[Line], facts: dict[str, Any]) -> Figures:
    if not lines:
        return {}
    losses = [number(line["loss"]) for line in lines]
    norms = [number(line["gradient_norm"]) for line in lines]
    first, last = lines[0]["step"], lines[-1]["step"]
    end = fmean(losses[-max(1, round(TAIL * len(losses))) :])
    found = {
        "rebound": Figure(end - min(losses), last),
        "epochs": Figure(lines[-1].get("epoch", 0) + 1, last),
        "first_norm": Figure(norms[0], first),
        "norm_growth": Figure(growth(norms), last),
    }
    if uniform := facts.get("uniform_loss"):
        found["first_loss"] = Figure(losses[0] / uniform, first)
        worst = max(range(len(losses)), key=lambda i: losses[i] if i else -inf)
        found["worst_loss"] = Figure(losses[worst] / uniform, lines[worst]["step"])
        if (unigram := facts.get("unigram_loss")) and unigram < uniform:
            found["progress"] = Figure((uniform - end) / (uniform - unigram), last)
    scored = [line for line in lines if line.get("held_out_loss") is not None]
    if scored:
        found["gap"] = Figure(scored[-1]["held_out_loss"] - end, scored[-1]["step"])
    return found


def number(value: float | None) -> float:
    """JSON has no infinity: what was not finite is null there."""
    return inf if value is None else value


def growth(norms: Sequence[float]) -> float:
    quarter = max(1, len(norms) // 4)
    return median(norms[-quarter:]) / max(median(norms[:quarter]), 1e-30)
