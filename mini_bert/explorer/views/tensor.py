"""One array as a table of numbers: two of its axes, with names for rows and columns, and where the others stand."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from mini_bert.analysis.graph.operation import partial, symbol
from mini_bert.analysis.reading import Reading
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.axes import MANY, Axis, spelled
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.learning.in_words import plain
from mini_bert.explorer.mathml import mathml
from mini_bert.explorer.question import Asked
from mini_bert.explorer.tensors import Of, Tensor, statistics, tensor_of

MOST_COLUMNS = 1024
MOST_CELLS = 2**18
WORDS = 40
"""Words of a vocabulary that are shown at once."""


class TensorAsked(Asked):
    """`slice`: "head", which of them; "row", "column": where a window begins; "word": one more that must be in it."""

    name: str = Field(max_length=200)
    of: Of = "value"
    slice: dict[str, int] = Field({}, max_length=8)


def give_tensor(desk: Desk, asked: TensorAsked) -> dict[str, Any]:
    """A 2-D slice of an array. Cell (r, c) of it has the index `base`, with `rows.index[r]` on axis `rows.axis`, and
    `columns.index[c]` on `columns.axis`; an axis of −1 is none: the array is a vector, or a single number."""
    reading = desk.reading(asked.question)
    tensor = tensor_of(reading, asked.name, asked.of)
    wanted, axes = asked.slice, tensor.axes
    row_axis, column_axis = sides(axes)
    base, chosen = fixed(axes[: row_axis if row_axis >= 0 else max(column_axis, 0)], wanted)
    base += [0] * (len(axes) - len(base))
    columns = [0] if column_axis < 0 else places(axes[column_axis], "column", wanted, reading, MOST_COLUMNS)
    room = max(MOST_CELLS // len(columns), 1)
    rows = [0] if row_axis < 0 else places(axes[row_axis], "row", wanted, reading, room)
    shown = cut(tensor, base, row_axis, rows, column_axis, columns)
    return {
        "name": tensor.name,
        "dotted": tensor.dotted,
        "of": tensor.of,
        "label": tensor.label,
        "plain": plain(tensor.dotted),
        "symbol": mathml((partial if "gradient" in tensor.of else symbol)(tensor.dotted), inline=True),
        "shape": list(tensor.array.shape),
        "spelled": spelled(tensor.axes),
        "axes": [{"kind": axis.kind, "size": axis.size} for axis in tensor.axes],
        "values": shown,
        "rows": side(tensor, row_axis, rows, reading),
        "columns": side(tensor, column_axis, columns, reading),
        "base": base,
        "chosen": chosen,
        "told": told(tensor, chosen, row_axis, rows, column_axis, columns),
        "statistics": statistics(tensor.array),
        "shown": statistics(shown),
    }


def sides(axes: tuple[Axis, ...]) -> tuple[int, int]:
    """The axes that become rows and columns: the last two; a vector, also that of a whole text, is one row."""
    last = len(axes) - 1
    if last < 1 or (last == 1 and axes[0].kind == "text"):
        return -1, last
    return last - 1, last


def fixed(axes: tuple[Axis, ...], wanted: dict[str, int]) -> tuple[list[int], list[dict[str, Any]]]:
    """Where the axes stand that are not shown, and what there is to choose from."""
    base, chosen = [], []
    for axis in axes:
        at = wanted.get(axis.kind, 0)
        if not 0 <= at < axis.size:
            raise ValueError(f"{axis.kind} {at}: there are {axis.size}; choose from 0 to {axis.size - 1}")
        base.append(at)
        if axis.size > 1:
            chosen.append({"kind": axis.kind, "at": at, "size": axis.size})
    return base, chosen


def places(axis: Axis, window: str, wanted: dict[str, int], reading: Reading, room: int) -> list[int]:
    """Which places along an axis are shown: all, a window of them, or the words that matter in this text."""
    if axis.kind == "word":
        return words_shown(axis.size, wanted.get("word"), reading, by_row=window == "row")
    start = min(max(wanted.get(window, 0), 0), max(axis.size - room, 0))
    return list(range(start, min(start + room, axis.size)))


def words_shown(size: int, extra: int | None, reading: Reading, *, by_row: bool) -> list[int]:
    """Of a vocabulary: of its table the rows of this text; else the words that the model finds likeliest here."""
    found: dict[int, None] = dict.fromkeys([extra] if extra is not None and 0 <= extra < size else [])
    if by_row:
        found |= dict.fromkeys(reading.ids.tolist())
    if not by_row or reading.model.config.tied:
        found |= dict.fromkeys(likeliest(reading))
    if not found:
        found |= dict.fromkeys(reading.ids.tolist())
    return [one for one in found if one < size]


def likeliest(reading: Reading) -> list[int]:
    """The words that are to be told, and the best guesses, of the places that are asked for."""
    logits = reading.passed.logits
    if reading.model.config.head != "words" or logits.ndim != 3:
        return []
    asked = reading.masked or reading.asked or list(range(len(reading.ids)))
    right = [int(reading.labels[place]) for place in reading.asked if place in asked]
    each = max(WORDS // len(asked), 3)
    best = [word for place in asked for word in np.argsort(-logits[0, place], kind="stable")[:each].tolist()]
    return list(dict.fromkeys([*best, *right]))[: 4 * WORDS]


def cut(
    tensor: Tensor, base: list[int], row_axis: int, rows: list[int], column_axis: int, columns: list[int]
) -> Any:
    """The numbers that are shown, (rows, columns)"""
    if column_axis < 0:
        return tensor.array.reshape(1, 1)
    if row_axis < 0:
        return tensor.array[tuple(base[:column_axis])][np.array(columns)][None]
    lead = tensor.array[tuple(base[:row_axis])]
    return lead[np.ix_(rows, columns)]


def side(tensor: Tensor, at: int, index: list[int], reading: Reading) -> dict[str, Any]:
    """A side of the table: what it stands for, and what each of its lines is called."""
    if at < 0:
        return {"axis": -1, "kind": None, "title": "", "labels": [""] * len(index), "index": index, "size": 1}
    axis = tensor.axes[at]
    return {
        "axis": at,
        "kind": axis.kind,
        "title": MANY[axis.kind][0],
        "labels": axis.labels(index, reading),
        "index": index,
        "size": axis.size,
    }


def told(
    tensor: Tensor,
    chosen: list[dict[str, Any]],
    row_axis: int,
    rows: list[int],
    column_axis: int,
    columns: list[int],
) -> str:
    """How it was cut, in words."""
    parts = [f"{MANY[one['kind']][0]} {one['at']} (of 0 to {one['size'] - 1})" for one in chosen]
    for at, index in ((row_axis, rows), (column_axis, columns)):
        if at < 0:
            continue
        axis = tensor.axes[at]
        if len(index) == axis.size:
            parts.append(f"all {axis.words}" if axis.size > 1 else axis.words)
        elif axis.kind == "word":
            which = "those of this text" if at == row_axis else "the likeliest here"
            parts.append(f"{len(index)} of {axis.words}: {which}")
        else:
            parts.append(f"{MANY[axis.kind][1]} {index[0]} to {index[-1]} of {axis.size:,}")
    return ", ".join(parts)


ANSWERS = (Answer("tensor", TensorAsked, give_tensor),)
