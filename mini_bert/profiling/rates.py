"""How fast this machine is at the operations of a model, all workers busy at once: measured in a second or two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import exp, log
from statistics import fmean, harmonic_mean
from time import perf_counter
from typing import NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.core.functions.dropout import Noise
from mini_bert.core.functions.erf import erf
from mini_bert.profiling.operations import Operation
from mini_bert.training.parallel import Team

ENTRIES = (1 << 12, 1 << 15, 1 << 18, 1 << 21)
"""Arrays of 16 KiB to 8 MiB: in the nearest cache, in farther ones, in memory."""
RUN = 64
MIDDLE = 1 << 15
LARGEST_PRODUCT = 1e8
POOL_BYTES, MOST_COPIES = 8 << 20, 64
SORTED = 1 << 12
REPEATS = 7
QUICK_SECONDS = 2e-4

Recipe = Callable[[Array, Array, Array], object]
"""Works on x and y (rows, run), with a column (rows, 1) beside them."""

RECIPES: dict[tuple[str, int], Recipe] = {
    ("arithmetic", 1): lambda x, y, column: np.multiply(x, column, out=x),
    ("arithmetic", 2): lambda x, y, column: np.multiply(y, column, out=x),
    ("arithmetic", 3): lambda x, y, column: x * y,
    ("divide", 1): lambda x, y, column: np.divide(x, column, out=x),
    ("exp", 1): lambda x, y, column: np.exp(y, out=x),
    ("tanh", 1): lambda x, y, column: np.tanh(y, out=x),
    ("erf", 1): lambda x, y, column: erf(y),
    ("copy", 1): lambda x, y, column: x.fill(0),
    ("copy", 2): lambda x, y, column: np.copyto(x, y),
    ("largest", 1): lambda x, y, column: y.max(-1),
    ("sum", 1): lambda x, y, column: y.sum(-1),
    ("vector product", 1): lambda x, y, column: y @ y[0],
    ("gather", 1): lambda x, y, column: y[np.arange(len(y))[::-1]],
    ("sort", 1): lambda x, y, column: np.argsort(y[:, :SORTED], axis=None, kind="stable"),
    ("noise", 1): lambda x, y, column: Noise().dropout_mask("", y.shape, 0.1, np.float32),
}
"""What stands for each kind of operation, by the number of arrays it touches."""


class Curve(NamedTuple):
    """Seconds of one kind of operation by its number of entries, and what every further row of them adds."""

    points: tuple[tuple[int, float], ...]
    row_seconds: float

    def seconds(self, entries: int, run: int) -> float:
        rows = entries / max(1, run)
        return between(self.points, entries) + max(0.0, rows - 1) * self.row_seconds


def between(points: tuple[tuple[int, float], ...], entries: int) -> float:
    """A straight line from point to point where both axes are logarithmic, and in proportion beyond the ends."""
    (first, least), (last, most) = points[0], points[-1]
    if entries <= first:
        return least * entries / first
    if entries >= last:
        return most * entries / last
    right = next(i for i, (size, _) in enumerate(points) if size >= entries)
    (a, fa), (b, fb) = points[right - 1], points[right]
    share = log(entries / a) / log(b / a)
    return exp((1 - share) * log(fa) + share * log(fb))


@dataclass(frozen=True)
class Rates:
    """Seconds of operations, beyond those of the call."""

    curves: dict[tuple[str, int], Curve]
    products: dict[Operation, float]
    """FLOPs per second of one worker"""

    def seconds(self, operation: Operation) -> float:
        if operation.kind == "product":
            return operation.flops / self.products[operation]
        entries, _, run = operation.sizes
        return self.curves[recipe_of(operation)].seconds(entries, run)


def recipe_of(operation: Operation) -> tuple[str, int]:
    """The recipe with as many arrays, or the nearest there is."""
    kind, arrays = operation.kind, operation.sizes[1]
    known = [key for key in RECIPES if key[0] == kind]
    return min(known, key=lambda key: abs(key[1] - arrays))


def measure(team: Team, operations: Iterable[Operation], footprint: int) -> Rates:
    """The rates of these operations, of which products are made smaller where they would take long.

    `footprint` are the bytes that a worker's step goes through: what it has used before it finds in the cache, or not.
    """
    pool = min(footprint, POOL_BYTES)
    wanted = list(dict.fromkeys(operations))
    products = [operation for operation in wanted if operation.kind == "product"]
    recipes = list(dict.fromkeys(recipe_of(each) for each in wanted if each.kind != "product"))

    def job(worker: int) -> tuple[list[Curve], list[float]]:
        return [curve(RECIPES[key], pool) for key in recipes], [product_rate(each, pool) for each in products]

    found = team.each(job)
    curves = [mean_curve(of_workers) for of_workers in zip(*(curves for curves, _ in found), strict=True)]
    rates = [harmonic_mean(of_workers) for of_workers in zip(*(r for _, r in found), strict=True)]
    return Rates(
        dict(zip(recipes, curves, strict=True)),
        dict(zip(products, rates, strict=True)),
    )


def mean_curve(curves: tuple[Curve, ...]) -> Curve:
    points = tuple(
        (entries, sum(curve.points[i][1] for curve in curves) / len(curves))
        for i, (entries, _) in enumerate(curves[0].points)
    )
    return Curve(points, sum(curve.row_seconds for curve in curves) / len(curves))


def curve(recipe: Recipe, pool: int) -> Curve:
    call = time_of(recipe, 1, 16, pool)
    points = tuple((entries, max(1e-9, time_of(recipe, 1, entries, pool) - call)) for entries in ENTRIES)
    in_rows = time_of(recipe, MIDDLE // RUN, RUN, pool) - call
    return Curve(points, max(0.0, in_rows - between(points, MIDDLE)) / (MIDDLE // RUN - 1))


def time_of(recipe: Recipe, rows: int, run: int, pool: int) -> float:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((rows, run), np.float32) for _ in range(2))
    column = np.ones((rows, 1), np.float32)
    turns = in_turn([(x.copy(), y.copy()) for _ in range(copies(2 * x.nbytes, pool))])
    return seconds_of(lambda: recipe(*next(turns), column))


def product_rate(operation: Operation, pool: int) -> float:
    stack, m, k, n = smaller(operation.sizes)
    a, b = np.ones((stack, m, k), np.float32), np.ones((stack, k, n), np.float32)
    if stack == 1:
        a, b = a[0], b[0]
    turns = in_turn([(a.copy(), b.copy()) for _ in range(copies(a.nbytes + b.nbytes, pool))])

    def multiply() -> None:
        left, right = next(turns)
        left @ right

    return 2 * stack * m * k * n / seconds_of(multiply)


def copies(nbytes: int, pool: int) -> int:
    """How many arrays of a size there must be so that, when one comes again, the others have driven it from the cache.

    In a step an operation finds what the one before it has left in the cache, and hardly anything older.
    """
    return max(1, min(MOST_COPIES, pool // nbytes))


def in_turn(arrays: list[tuple[Array, Array]]) -> Iterator[tuple[Array, Array]]:
    return cycle(arrays)


def smaller(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The same, with its largest sizes halved until the product is quick."""
    found = list(sizes)
    while 2 * np.prod(found, dtype=float) > LARGEST_PRODUCT:
        largest = found.index(max(found))
        found[largest] = -(-found[largest] // 2)
    return tuple(found)


def seconds_of(work: Callable[[], object]) -> float:
    """The usual time of some; what is quick is done several times in a row."""
    work()
    start = perf_counter()
    work()
    count = max(1, round(QUICK_SECONDS / max(1e-7, perf_counter() - start)))
    found = []
    for _ in range(REPEATS):
        start = perf_counter()
        for _ in range(count):
            work()
        found.append((perf_counter() - start) / count)
    return usual(found)


def usual(times: Sequence[float]) -> float:
    """The mean of all but the quickest and the slowest: a step is a sum of such times, so what disturbs now and then
    counts, but not what disturbed once."""
    return fmean(sorted(times)[1:-1])
