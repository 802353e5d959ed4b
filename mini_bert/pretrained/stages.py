"""A model that was trained in stages: a run goes on from the weights of another, with a schedule of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
COUNTED = ("steps", "tokens", "seconds")
OF_A_LINE = {"step": "steps", "tokens": "tokens", "seconds": "seconds"}
TOLD = ("masking", "optimizer", "schedule", "batch", "budget", "seed")
"""What stages may do differently; all else is told by the settings of the last."""


def continued(before: Record, now: Record) -> dict[str, Any]:
    """The record of a run that began with the weights of `before`: counts and log of both, stage by stage.

    >>> first = {"steps": 2, "tokens": 128, "seconds": 3.0, "log": [{"step": 2, "tokens": 128, "loss": 5.0}]}
    >>> then = {"steps": 1, "tokens": 64, "seconds": 1.0, "log": [{"step": 1, "tokens": 64, "loss": 4.0}]}
    >>> both = continued(first, then)
    >>> both["steps"], both["log"][1], [stage["tokens"] for stage in both["stages"]]
    (3, {'step': 3, 'tokens': 192, 'loss': 4.0}, [128, 64])
    """
    stages = [*stages_of(before), stage_of(now)]
    spent = {name: sum(stage.get(name) or 0 for stage in stages_of(before)) for name in COUNTED}
    return {
        **now,
        **{name: spent[name] + (now.get(name) or 0) for name in COUNTED},
        "stages": stages,
        "log": [*before.get("log", ()), *shifted(now.get("log", ()), spent)],
    }


def stages_of(record: Record) -> list[dict[str, Any]]:
    """Its stages, or the one that it is."""
    return list(record["stages"]) if record.get("stages") else [stage_of(record)]


def stage_of(record: Record) -> dict[str, Any]:
    settings = record.get("settings") or {}
    counted = {name: record.get(name) for name in COUNTED}
    return {**counted, "settings": {name: settings[name] for name in TOLD if name in settings}}


def shifted(log: Sequence[Record], spent: Mapping[str, float]) -> list[dict[str, Any]]:
    """A log that counts from the beginning of the first stage."""
    return [
        {**line, **{key: line[key] + spent[name] for key, name in OF_A_LINE.items() if key in line}}
        for line in log
    ]
