"""The record of a mean of weights: what was spent on the last of them, and of which moments the mean is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from mini_bert.pretrained.sources import is_same_text
from mini_bert.pretrained.stages import Record, added, stages_of

Stage = Mapping[str, Any]


def averaged_record(records: Mapping[str, Record]) -> dict[str, Any]:
    """The longest of these records, by the names of their models; its last stage says what the mean is of.

    They must tell of one training, in which each model stands behind the ones before it.

    >>> def settings(seed): return {"optimizer": {"kind": "muon"}, "seed": seed}
    >>> first = {"steps": 4, "tokens": 256, "settings": settings(0)}
    >>> then = {"steps": 6, "tokens": 384, "stages": [first, {"steps": 2, "tokens": 128, "settings": settings(1)}]}
    >>> made = averaged_record({"further": then, "begun": first})
    >>> made["tokens"], made["stages"][-1]["averaged"]
    (384, [256, 384])
    """
    named = sorted(records, key=lambda name: ways(stages_of(records[name])))
    for before, after in pairwise(named):
        if not goes_on(stages_of(records[before]), stages_of(records[after])):
            raise ValueError(
                f"{after} did not go on from {before}, and a card tells of one training; average checkpoints of one "
                "run, or a run with the model that it went on from"
            )
    last = records[named[-1]]
    *earlier, final = stages_of(last)
    moments = [added(stage.get("tokens") for stage in stages_of(records[name])) for name in named]
    return {**last, "stages": [*earlier, {**final, "averaged": moments}]}


def ways(stages: Sequence[Stage]) -> tuple[int, int]:
    """How far a training has come: in stages, and in steps of the last."""
    return len(stages), stages[-1].get("steps") or 0


def goes_on(before: Sequence[Stage], after: Sequence[Stage]) -> bool:
    """Whether a training has been where another ended; its last stage may have been left before its end."""
    *done, last = before
    followed = after[: len(done)]
    return all(map(is_same, done, followed)) and is_begun_alike(last, after[len(done)])


def is_same(one: Stage, other: Stage) -> bool:
    return is_begun_alike(one, other) and one.get("steps") == other.get("steps")


def is_begun_alike(one: Stage, other: Stage) -> bool:
    """Whether two stages had the same settings, but for a budget that was changed on the way, and the same text."""
    mine, theirs = ({**stage["settings"], "budget": None} for stage in (one, other))
    texts = one.get("text") or {}, other.get("text") or {}
    return mine == theirs and (not all(texts) or is_same_text(*texts))
