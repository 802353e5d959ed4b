"""In what two models differ: in their settings, their parts, and, if they are alike enough, their weights.

    part_changes(build_network(bert()), build_network(gpt2()))
    # encoder.layers.*.attn, encoder.layers.*.ffn: PostNorm → PreNorm ...

A model is a tree of frozen values, so that two can be walked side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.layer import Identity, Part
from mini_bert.core.terms import Term
from mini_bert.models.config import ModelConfig

NOTHING = "–"


@dataclass(frozen=True)
class Change:
    """What stands at some places in one model, and what in the other.

    `of_size` tells that the parts are of one kind, and only numbers in them differ.
    """

    places: tuple[str, ...]
    before: str
    after: str
    of_size: bool


def setting_changes(a: ModelConfig, b: ModelConfig) -> dict[str, tuple[Any, Any]]:
    """The settings that differ, each with its two values."""
    first, second = a.model_dump(), b.model_dump()
    return {name: (first[name], second[name]) for name in first if first[name] != second[name]}


def part_changes(a: Part, b: Part) -> list[Change]:
    """Where two trees of parts differ. Equal changes at several places are one change."""
    places: dict[tuple[str, str, bool], list[str]] = {}
    for place, before, after, of_size in differences(a, b, ""):
        places.setdefault((before, after, of_size), []).append(place)
    return [Change(tuple(dict.fromkeys(where)), *what) for what, where in places.items()]


Difference = tuple[str, str, str, bool]


def differences(a: Any, b: Any, place: str) -> Iterator[Difference]:
    """(place, before, after, of size) wherever two values differ, from here down."""
    if a == b:
        return
    if isinstance(a, tuple) and isinstance(b, tuple):
        yield from tuple_differences(a, b, place)
    elif not isinstance(a, Part) or not isinstance(b, Part):
        yield place, described(a), described(b), False
    elif type(a) is not type(b):
        yield from kind_differences(a, b, place)
    else:
        if list(own_numbers(a)) != list(own_numbers(b)):
            yield place, described(a, inside=False), described(b, inside=False), True
        yield from below(a, b, place)


def kind_differences(a: Part, b: Part, place: str) -> Iterator[Difference]:
    """Of two parts of different kinds, those inside are compared where there is something to compare."""
    alike = bool(shared_fields(a, b))
    yield place, described(a, inside=not alike), described(b, inside=not alike), False
    if alike:
        yield from below(a, b, place)
    elif isinstance(inner := getattr(b, "body", None), type(a)):
        yield from differences(a, inner, place)
    elif isinstance(inner := getattr(a, "body", None), type(b)):
        yield from differences(inner, b, place)


def below(a: Part, b: Part, place: str) -> Iterator[Difference]:
    """Where the parts inside two parts differ, those among them that only one has."""
    names = [field.name for one in (a, b) for field in fields(one) if is_a_place(one, field.name)]  # type: ignore[arg-type]
    for name in dict.fromkeys(names):
        scope = place if name == "body" else f"{place}.{name}".removeprefix(".")
        yield from differences(getattr(a, name, None), getattr(b, name, None), scope)


def tuple_differences(a: tuple[Any, ...], b: tuple[Any, ...], place: str) -> Iterator[Difference]:
    """Terms are told together, for their order says nothing; layers as one, for they are alike."""
    if any(isinstance(one, Term) for one in (*a, *b)):
        yield place, described(a), described(b), False
        return
    if len(a) != len(b):
        yield place, repeated(a), repeated(b), False
    pairs = dict.fromkeys(zip(a, b, strict=False))
    for i, (one, other) in enumerate(pairs):
        yield from differences(one, other, f"{place}.{'*' if len(pairs) == 1 else i}")


def repeated(parts: tuple[Any, ...]) -> str:
    return f"{len(parts)} × {type(parts[0]).__name__}" if parts else NOTHING


def shared_fields(a: Part, b: Part) -> list[str]:
    """The names of parts that both have."""
    first, second = ({field.name for field in fields(one)} for one in (a, b))  # type: ignore[arg-type]
    return [name for name in first & second if is_a_place(a, name) or is_a_place(b, name)]


def is_a_place(part: Part, name: str) -> bool:
    """Whether a field holds parts, or nothing in the place of one."""
    value = getattr(part, name, None)
    return value is None or isinstance(value, Part | tuple)


def own_numbers(part: Part) -> Iterator[tuple[str, Any]]:
    """The fields that are no parts, and say something."""
    for field in fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        if not is_a_place(part, field.name) and value != field.default:
            yield field.name, value


def described(value: Any, *, inside: bool = True) -> str:
    """A part in one line: its kind, its numbers, and the kinds of what is directly inside."""
    if value is None or isinstance(value, Identity):
        return NOTHING
    if isinstance(value, tuple):
        return ", ".join(map(described, value)) or NOTHING
    if not isinstance(value, Part):
        return str(value)
    told = [str(number) if is_a_size(name) else f"{name}={number}" for name, number in own_numbers(value)]
    if inside:
        told += [type(part).__name__ for _, part in value.parts() if not isinstance(part, Identity)]
    return f"{type(value).__name__}({', '.join(told)})" if told else type(value).__name__


def is_a_size(name: str) -> bool:
    """Sizes have one letter, and stand without their names."""
    return len(name) == 1


@dataclass(frozen=True)
class Distance:
    """How far two weights of one name are apart: ‖a − b‖ / ‖a‖, and the cosine between them."""

    relative: float
    cosine: float


def weight_distances(a: Mapping[str, Array], b: Mapping[str, Array]) -> dict[str, Distance]:
    """For each weight that both have, in one shape."""
    return {
        name: distance(weight, b[name])
        for name, weight in a.items()
        if name in b and b[name].shape == weight.shape
    }


def distance(a: Array, b: Array) -> Distance:
    x, y = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    gap, length, other = (float(np.sqrt(v @ v)) for v in (x - y, x, y))
    if not length or not other:
        return Distance(0.0 if gap == 0 else float("inf"), 1.0 if gap == 0 else 0.0)
    return Distance(gap / length, float(x @ y) / (length * other))
