"""What a model is made of: frozen values that say how to compute, and hold neither weights nor activations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple, TypeVar

from mini_bert.core.array import Array
from mini_bert.core.trace import Trace

P = TypeVar("P", bound="Part")


class Weight(NamedTuple):
    """One parameter: its shape, and what it is, which decides how it starts and whether it decays.

    `matrix` multiplies, `table` is looked up, `gain` starts as ones, `bias` as zeros.
    """

    shape: tuple[int, ...]
    kind: Literal["matrix", "table", "gain", "bias"]

    @property
    def decays(self) -> bool:
        return self.kind in ("matrix", "table")


class Part:
    """A node of the model: its own weights, and the parts below it."""

    def weights(self) -> dict[str, Weight]:
        """This part's own parameters, by name."""
        return {}

    def parts(self) -> Iterator[tuple[str, Part]]:
        """(scope, part) for each part below. A field's name is its scope; a `body` shares ours."""
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Part):
                yield "" if field.name == "body" else f"{field.name}.", value
            elif isinstance(value, tuple):
                yield from (
                    (f"{field.name}.{i}.", part) for i, part in enumerate(value) if isinstance(part, Part)
                )

    def all_weights(self) -> dict[str, Weight]:
        """Every parameter from here down, by dotted name."""
        found = dict(self.weights())
        for scope, part in self.parts():
            below = {scope + name: weight for name, weight in part.all_weights().items()}
            assert not found.keys() & below.keys(), f"two weights are called {found.keys() & below.keys()}"
            found |= below
        return found

    def walk(self) -> Iterator[Part]:
        """This part and every part below it, in order."""
        yield self
        for _, part in self.parts():
            yield from part.walk()

    def find(self, kind: type[P]) -> P:
        """The first part of that kind, from here down."""
        return next(part for part in self.walk() if isinstance(part, kind))


class Layer(Part, ABC):
    """forward(x, t) → y,  backward(dy, t) → dx."""

    @abstractmethod
    def forward(self, x: Array, t: Trace) -> Array: ...

    @abstractmethod
    def backward(self, dy: Array, t: Trace) -> Array: ...


class Attending(Layer):
    """attend(x, source, t) → y,  attend_backward(dy, t) → dx, dsource: x asks, and source answers"""

    @abstractmethod
    def attend(self, x: Array, source: Array, t: Trace) -> Array: ...

    @abstractmethod
    def attend_backward(self, dy: Array, t: Trace) -> tuple[Array, Array]: ...


def attending(layer: Layer) -> Attending:
    """The same layer, of which it is known that it can ask one thing about another."""
    assert isinstance(layer, Attending), f"{type(layer).__name__} has no source to attend to"
    return layer


@dataclass(frozen=True)
class Identity(Layer):
    """y = x: the part that stands where a model has none."""

    def forward(self, x: Array, t: Trace) -> Array:
        return x

    def backward(self, dy: Array, t: Trace) -> Array:
        return dy
