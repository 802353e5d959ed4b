"""A pass with shapes in place of numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from math import prod

ID_BYTES = 8


@dataclass(frozen=True, eq=False)
class Shape:
    """An array without its numbers. No two are equal: what counts is which arrays share a `buffer`."""

    axes: tuple[int, ...]
    itemsize: int
    view_of: Shape | None = None

    @property
    def size(self) -> int:
        return prod(self.axes)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def buffer(self) -> Shape:
        return self.view_of or self

    def fresh(self, *last: int) -> Shape:
        """A new array of this shape, or with another last axis."""
        return Shape(self.axes[: len(self.axes) - len(last)] + last, self.itemsize)


@dataclass(frozen=True)
class Rehearsal:
    """What a pass would multiply and keep, by the name of the place: the counterpart of a Trace.

    `asked` is how many positions of a sequence must be answered, None for all; `noisy` tells that dropout is
    at work. `repeated` are the FLOPs that checkpoints spend a second time. `memory` tokens are remembered from before;
    `ordered` tells that a model of two streams uses both, and then only the first `answering` rows are sources.
    """

    asked: int | None = None
    noisy: bool = False
    itemsize: int = 4
    memory: int = 0
    ordered: bool = False
    answering: int | None = None
    path: str = ""
    flops: Counter[str] = field(default_factory=Counter)
    repeated: Counter[str] = field(default_factory=Counter)
    kept: dict[str, Shape] = field(default_factory=dict)

    def __truediv__(self, scope: str) -> Rehearsal:
        return replace(self, path=f"{self.path}{scope}.")

    def asking(self, positions: int | None) -> Rehearsal:
        return replace(self, asked=positions)

    def answered(self, x: Shape) -> Shape:
        """x (B, T, H) at the positions that must be answered, (B, k, H)"""
        return x if self.asked is None else Shape((x.axes[0], self.asked, x.axes[2]), x.itemsize)

    def sources(self, x: Shape) -> Shape:
        """The rows of x that others may look at."""
        if self.answering is None:
            return x
        return Shape((x.axes[0], self.answering, x.axes[2]), x.itemsize, view_of=x.buffer)

    def multiply(self, multiply_adds: int) -> None:
        self.flops[self.path] += 2 * multiply_adds

    def keep(self, name: str, x: Shape) -> Shape:
        self.kept[self.path + name] = x
        return x

    @property
    def forward_flops(self) -> int:
        return self.flops.total()

    @property
    def backward_flops(self) -> int:
        """A product y = a b has two gradients, da and db, each a product as large."""
        return 2 * self.flops.total() + self.repeated.total()

    @property
    def bytes_by_name(self) -> dict[str, int]:
        """The memory of each buffer, under the first name it is kept by."""
        first_names = {x.buffer: name for name, x in reversed(self.kept.items())}
        return {name: buffer.nbytes for buffer, name in first_names.items()}

    @property
    def kept_bytes(self) -> int:
        return sum(self.bytes_by_name.values())
