"""A model that was trained in stages: a run goes on from the weights of another, with a schedule of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
COUNTED = ("steps", "tokens", "seconds")
OF_A_LINE = {"step": "steps", "tokens": "tokens", "seconds": "seconds"}
OF_A_TEXT = ("corpus", "documents", "tokens")


def continued(before: Record, now: Record) -> dict[str, Any]:
    """The record of a run that began with the weights of `before`: counts and log of both, and each as a stage.

    What is not known of one stage is not known of all.

    >>> first = {"steps": 2, "tokens": 128, "seconds": None, "log": [{"step": 2, "tokens": 128, "loss": 5.0}]}
    >>> then = {"steps": 1, "tokens": 64, "seconds": 1.0, "log": [{"step": 1, "seconds": 1.0, "loss": 4.0}]}
    >>> both = continued(first, then)
    >>> both["steps"], both["seconds"], both["log"][1], [stage["tokens"] for stage in both["stages"]]
    (3, None, {'step': 3, 'loss': 4.0}, [128, 64])
    """
    earlier, last = stages_of(before), stage_of(now)
    spent = {name: added(stage.get(name) for stage in earlier) for name in COUNTED}
    total = {name: added([spent[name], last[name]]) for name in COUNTED}
    unknown = {key for key, name in OF_A_LINE.items() if total[name] is None}
    lines = [*before.get("log", ()), *(shifted(line, spent) for line in now.get("log", ()))]
    return {
        **now,
        **total,
        "stages": [*earlier, last],
        "log": [{key: value for key, value in line.items() if key not in unknown} for line in lines],
        **({"manifest": before["manifest"]} if before.get("manifest") else {}),
    }


def added(counts: Iterable[float | None]) -> float | None:
    """
    >>> added([1, 2]), added([1, None])
    (3, None)
    """
    found = list(counts)
    known = [count for count in found if count is not None]
    return sum(known) if len(known) == len(found) else None


def stages_of(record: Record) -> list[dict[str, Any]]:
    """Its stages, or the one that it is."""
    return list(record.get("stages") or ()) or [stage_of(record)]


def is_recorded_from_the_start(stages: Sequence[Record]) -> bool:
    """Whether the first stage is known to have begun with drawn weights, and not with those of some other model."""
    settings = stages[0]["settings"]
    return bool(settings) and not settings.get("init")


def stage_of(record: Record) -> dict[str, Any]:
    """What a run was given and what was changed on its way, by its own steps; and on how many cores: threads of each of
    its processes."""
    settings, facts = record.get("settings") or {}, record.get("facts") or {}
    threads = facts.get("workers")
    return {
        **{name: record.get(name) for name in COUNTED},
        "cores": threads and threads * facts.get("ranks", 1),
        "settings": {name: value for name, value in settings.items() if name != "model"},
        "changes": record.get("changes") or [],
        "text": text_of(record),
    }


def text_of(record: Record) -> dict[str, Any]:
    """What a run learned from: its text, the share that was held out of it, and the names of its sources."""
    settings, facts = record.get("settings") or {}, record.get("facts") or {}
    told = {name: facts[name] for name in OF_A_TEXT if name in facts}
    if told:
        told["held_out"] = settings.get("held_out", 0)
    if sources := sources_in(record):
        told["sources"] = list(sources)
    return told


def sources_in(record: Record) -> Mapping[str, Mapping[str, Any]]:
    """Those of the manifest (corpus.json) of all that a model has learned from, by their names."""
    return (record.get("manifest") or {}).get("sources") or {}


def shifted(line: Record, spent: Mapping[str, float | None]) -> dict[str, Any]:
    """A line of a log that counts from the beginning of the first stage."""
    return {
        key: value + (spent[OF_A_LINE[key]] or 0) if key in OF_A_LINE else value
        for key, value in line.items()
    }
