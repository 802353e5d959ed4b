"""One number: the very sum that made it, or its gradient, with the largest terms; and the check of a gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import Field

from mini_bert.analysis.cell_story import CellStory, checked_index, explain_cell
from mini_bert.analysis.gradient_story import GradientStory, explain_gradient
from mini_bert.analysis.graph.loss import LOSS
from mini_bert.analysis.numeric_slope import numeric_slope
from mini_bert.analysis.reading import Reading, in_float64
from mini_bert.analysis.sums import Factor, Largest, Term, called, cell_label
from mini_bert.explorer.answers import Answer
from mini_bert.explorer.axes import MANY
from mini_bert.explorer.desk import Desk
from mini_bert.explorer.mathml import mathml
from mini_bert.explorer.question import Asked
from mini_bert.explorer.tensors import Of, Tensor, stored, tensor_of
from mini_bert.models.names import as_short, dotted, short

TOLD_BESIDE = 5
"""Terms of a number that many terms share, like a mean."""


class CellAsked(Asked):
    """`index` is into the whole array; that of a weight as its short name sees it, W[in, out]."""

    name: str = Field(max_length=200)
    of: Of = "value"
    index: tuple[int, ...] = Field((), max_length=8)
    most: int = Field(12, ge=1, le=200)


class SlopeAsked(Asked):
    """Whose gradient is to be checked: a number of an activation ("gradient") or of a weight ("weight_gradient")."""

    name: str = Field(max_length=200)
    of: Of = "gradient"
    index: tuple[int, ...] = Field((), max_length=8)


def give_cell(desk: Desk, asked: CellAsked) -> dict[str, Any]:
    """The terms of a number, the largest first; they and `rest`, the sum of the `others`, add up to `value`."""
    reading = desk.reading(asked.question)
    if dotted(asked.name) == LOSS and asked.of == "value":
        return told(explain_cell(reading, LOSS, most=asked.most), asked, reading) | {
            "where": [],
            "label": LOSS,
        }
    tensor = tensor_of(reading, asked.name, asked.of)
    index = checked_index(tensor.name, asked.index, tensor.array.shape)
    found = story(reading, tensor, index, asked)
    return found | {
        "name": tensor.name,
        "dotted": tensor.dotted,
        "index": list(index),
        "label": cell_label(tensor.dotted, as_shown(tensor, index), "gradient" in asked.of),
        "where": where(tensor, index, reading),
    }


def story(reading: Reading, tensor: Tensor, index: tuple[int, ...], asked: CellAsked) -> dict[str, Any]:
    if asked.of == "weight":
        return learned(reading, tensor, index)
    if asked.of == "value":
        return told(explain_cell(reading, tensor.dotted, index, most=asked.most), asked, reading)
    if asked.of == "gradient" and tensor.dotted not in reading.exact.passed.activation_gradients.arrays:
        return unnamed_gradient(reading, tensor, index)
    at = stored(tensor.dotted, index) if asked.of == "weight_gradient" else index
    found = explain_gradient(reading, tensor.dotted, at, most=asked.most, check=False)
    parts = [
        {
            "name": called(part.through),
            "equation": part.equation,
            "mathml": mathml(part.latex),
            "value": part.value,
        }
        for part in found.parts
    ]
    return told(found, asked, reading) | {"kind": "gradient", "parts": parts}


def told(found: CellStory | GradientStory, asked: CellAsked, reading: Reading) -> dict[str, Any]:
    is_weight = frozenset(reading.passed.trace.params)
    return {
        "name": found.name,
        "dotted": found.dotted,
        "of": asked.of,
        "index": list(found.index),
        "value": found.value,
        "kind": found.kind if isinstance(found, CellStory) else "gradient",
        "equation": found.equation,
        "mathml": mathml(found.latex),
        "note": "",
        "parts": [],
        **sum_of(found, is_weight),
        "asides": [
            {"label": one.label, "equation": one.equation, "value": one.value}
            | sum_of(one.largest(TOLD_BESIDE), is_weight)
            for one in found.asides
        ],
    }


class Summed(Protocol):
    """A story, or the largest terms of an aside."""

    @property
    def terms(self) -> tuple[Term, ...]: ...

    @property
    def others(self) -> int: ...

    @property
    def rest(self) -> float: ...


def sum_of(found: Summed, weights: frozenset[str]) -> dict[str, Any]:
    return {
        "terms": [
            {
                "value": term.value,
                "label": term.label,
                "factors": [factor_of(factor, weights) for factor in term.factors],
            }
            for term in found.terms
        ],
        "others": found.others,
        "rest": found.rest,
    }


def factor_of(factor: Factor, weights: frozenset[str]) -> dict[str, Any]:
    """A factor, and if it is a number of an array, where that is."""
    if factor.name is None or factor.index is None:
        return {"label": factor.label, "value": factor.value, "name": None, "of": None, "index": None}
    is_weight = factor.name in weights
    of: Of = "gradient" if factor.is_gradient else "weight" if is_weight else "value"
    index = as_short(factor.name, factor.index) if is_weight else factor.index
    return {
        "label": factor.label,
        "value": factor.value,
        "name": short(factor.name),
        "of": of,
        "index": [int(one) for one in index],
    }


def learned(reading: Reading, tensor: Tensor, index: tuple[int, ...]) -> dict[str, Any]:
    """A weight is no sum: it is what training left there."""
    readers = ", ".join(dict.fromkeys(called(one.output) for one in reading.graph.used[tensor.dotted]))
    return without_terms(
        tensor,
        float(tensor.array[index]),
        f"Training has set this number. {f'It is used in {readers}.' if readers else 'This text does not use it.'}",
    )


def unnamed_gradient(reading: Reading, tensor: Tensor, index: tuple[int, ...]) -> dict[str, Any]:
    """The backward pass goes through it without leaving it; the graph knows its number, and not the sum."""
    makers = ", ".join(called(one) for one in reading.graph.made[tensor.dotted].inputs)
    note = f"The backward pass does not stop here. Look at the gradient of {makers}, where it goes on."
    return without_terms(tensor, float(tensor.array[index]), note)


def without_terms(tensor: Tensor, value: float, note: str) -> dict[str, Any]:
    return {
        "of": tensor.of,
        "value": value,
        "kind": "given",
        "equation": "",
        "mathml": "",
        "note": note,
        "parts": [],
        **sum_of(Largest((), 0, 0.0), frozenset()),
        "asides": [],
    }


def where(tensor: Tensor, index: Sequence[int], reading: Reading) -> list[Mapping[str, Any]]:
    """The place of a number in words: which piece, which head, which of its numbers."""
    return [
        {"kind": axis.kind, "title": MANY[axis.kind][0], "at": at, "label": axis.labels([at], reading)[0]}
        for axis, at in zip(tensor.axes, index, strict=True)
        if axis.kind != "text"
    ]


def as_shown(tensor: Tensor, index: tuple[int, ...]) -> tuple[int, ...]:
    """`cell_label` takes weights as they are stored."""
    return stored(tensor.dotted, index) if "weight" in tensor.of else index


def give_slope(desk: Desk, asked: SlopeAsked) -> dict[str, Any]:
    """The same slope twice: by the chain rule, and by moving the number a little to both sides; both in float64."""
    reading = desk.reading(asked.question)
    if asked.of not in ("gradient", "weight_gradient"):
        raise ValueError(
            f'of="{asked.of}": only a gradient can be checked; ask of="gradient" or "weight_gradient"'
        )
    tensor = tensor_of(reading, asked.name, asked.of)
    index = checked_index(tensor.name, asked.index, tensor.array.shape)
    if asked.of == "gradient" and tensor.dotted in reading.graph.numbers.between:
        raise ValueError(
            f"{tensor.label}: the pass has no name for it, so it cannot be moved; check what it is made of"
        )
    desk.go_on()
    own = in_float64(reading.passed)  # a number of it is moved while others look into the reading
    at = stored(tensor.dotted, index) if asked.of == "weight_gradient" else index
    found = numeric_slope(own, tensor.dotted, at)
    value = float(tensor.array[index])
    return {
        "name": tensor.name,
        "of": asked.of,
        "index": list(index),
        "label": cell_label(tensor.dotted, as_shown(tensor, index), True),
        "value": value,
        "numeric": found.value,
        "step": found.step,
        "rounding": found.rounding,
        "agrees": found.agrees_with(value),
    }


ANSWERS = (Answer("cell", CellAsked, give_cell), Answer("slope", SlopeAsked, give_slope))
