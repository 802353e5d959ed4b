"""The metrics of a run as series, however deep in a line a number stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.plots.series import Series
from mini_bert.training.run_folder import RunFolder

Line = dict[str, Any]
MISSING: Any = object()
GOOD_UPDATE = 1e-3
"""Weights that change by a thousandth of their size in a step learn at a healthy pace; a rule of thumb."""


def lines_of(folder: RunFolder) -> list[Line]:
    """The lines of metrics.jsonl that belong to a step."""
    return [line for line in folder.metrics() if isinstance(line, dict) and is_number(line.get("step"))]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def at(line: Any, *path: str | int) -> Any:
    """line["inspection"]["dead_units"][0] for the path "inspection", "dead_units", 0; MISSING if it is not there."""
    for key in path:
        try:
            line = line[key]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return line


def series(lines: Iterable[Line], *path: str | int) -> Series:
    """A number at each step whose line tells of it; null is nan, for the number was not finite.

    >>> series([{"step": 1, "loss": 6.0}, {"step": 2, "loss": None}, {"step": 3}], "loss")
    Series(steps=array([1., 2.]), values=array([ 6., nan]))
    """
    told = [(line["step"], value) for line in lines if (value := at(line, *path)) is not MISSING]
    return Series(
        np.array([step for step, _ in told], float),
        np.array([value if is_number(value) else np.nan for _, value in told], float),
    )


def series_by_name(lines: Sequence[Line], group: str, measure: str | None = None) -> dict[str, Series]:
    """A series for each entry of inspection[group], which is a dict, or a list of numbers by layer."""
    names: dict[str, str | int] = {}
    for line in lines:
        found = at(line, "inspection", group)
        if isinstance(found, dict):
            names |= {name: name for name in found}
        elif isinstance(found, list):
            names |= {f"encoder.layers.{number}": number for number in range(len(found))}
    inner = () if measure is None else (measure,)
    made = {name: series(lines, "inspection", group, key, *inner) for name, key in names.items()}
    return {name: one for name, one in made.items() if not one.is_empty}


def by_text(lines: Sequence[Line], score: str) -> dict[str, Series]:
    """A score on the text it learns from, on held-out text, and on the text an earlier run has learned from."""
    return named(
        {
            "training": series(lines, score),
            "held-out": series(lines, f"held_out_{score}"),
            "old text": series(lines, f"old_{score}"),
        }
    )


def named(found: Mapping[str, Series]) -> dict[str, Series]:
    """The series that hold a number."""
    return {name: one for name, one in found.items() if not one.is_empty}


def numbers(levels: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(level) for name, level in levels.items() if is_number(level)}


def changes(one: Series) -> bool:
    return not one.is_empty and bool(np.nanmax(one.values) > np.nanmin(one.values))


def entropies(lines: Iterable[Line]) -> tuple[Array, Array, float] | None:
    """Steps, entropies (inspections, layers, heads) and the most there can be; None if no line tells of them."""
    steps: list[float] = []
    tables: list[list[list[float]]] = []
    most = 0.0
    for line in lines:
        table, limit = at(line, "inspection", "attention_entropy"), at(line, "inspection", "most_entropy")
        if isinstance(table, list) and table and (not tables or shape(table) == shape(tables[0])):
            steps.append(line["step"])
            tables.append(table)
            most = limit if is_number(limit) else most
    found = np.array(tables, float)  # null becomes nan
    if not np.isfinite(found).any():
        return None
    return np.array(steps, float), found, most or float(np.nanmax(found))


def shape(table: list[list[float]]) -> list[int]:
    return [len(row) for row in table]
