"""Settings that were changed in the middle of a run: where, and from what to what.

A checkpoint keeps the settings that it was saved with. A run that goes on from it with others, by
`mini-bert train --resume RUN --tokens N` or an edited config.yaml, notes them: {"step": 500, "tokens": 640000,
"budget.tokens": [1200000, 800000]}. Where only the log tells of a change, it lies between
"step" and "until_step".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mini_bert.settings import flat

Change = dict[str, Any]
APART = ("corpus", "tokenizer", "init", "old_corpus", "old_cut", "logging", "saving", "cluster", "workers")
"""No part of a recipe: where things lie (other text is refused), what is told and kept, and how the work is shared."""
WHEN = ("step", "until_step", "tokens")


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The settings of the recipe that differ, each as it was and as it is.

    >>> changed({"budget": {"steps": 9}, "seed": 0, "workers": 2}, {"budget": {"steps": 5}, "seed": 0, "workers": 1})
    {'budget.steps': [9, 5]}
    """
    old, new = flat(before), flat(now)
    names = [name for name in old | new if name.partition(".")[0] not in APART]
    return {name: [old.get(name), new.get(name)] for name in names if old.get(name) != new.get(name)}


def in_words(change: Change) -> str:
    """
    >>> in_words({"step": 500, "tokens": 64000, "budget.steps": [900, None], "budget.tokens": [None, 80000]})
    'budget.steps 900 → none, budget.tokens none → 80,000'
    """
    settings = {name: pair for name, pair in change.items() if name not in WHEN}
    return ", ".join(f"{name} {' → '.join(map(plain, pair))}" for name, pair in settings.items())


def plain(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if type(value) is int else str(value)
