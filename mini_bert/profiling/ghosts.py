"""Arrays without numbers: the model's own code runs on them, and what it would have done is written down.

A ghost has a shape and a dtype, and each of its entries is the same zero in memory. Whatever NumPy is asked to do
with one is not done but noted on its tape, as an operation; the answer is another ghost. Thus no table of costs can
fall behind the code: the code is the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from numpy.typing import DTypeLike

from mini_bert.profiling.operations import KINDS, Operation, Shape, elementwise, product, reduced, reduction


class Tape:
    """The operations, and the memory of the ghosts that are alive, now and at most."""

    def __init__(self) -> None:
        self.operations: Counter[Operation] = Counter()
        self.live_bytes = self.peak_bytes = 0

    def gathered(self, places: Shape, row: Shape, dtype: DTypeLike) -> Ghost:
        """Rows that were fetched from here and there."""
        self.operations[reduction("gather", (*places, *row), places)] += 1
        return self.ghost((*places, *row), dtype)

    def ghost(self, shape: Shape, dtype: DTypeLike = np.float32) -> Ghost:
        """A new one, with memory of its own."""
        zero = np.zeros(1, dtype)
        made = as_strided(zero, shape, (0,) * len(shape)).view(Ghost)
        made.tape, made.memory = self, Memory(self, zero.itemsize * prod(shape))
        return made

    @property
    def calls(self) -> int:
        return self.operations.total()

    @property
    def flops(self) -> int:
        return sum(count * operation.flops for operation, count in self.operations.items())


class Memory:
    """So many bytes of a tape's live memory, shared by the views of one array, for as long as any is alive."""

    def __init__(self, tape: Tape, nbytes: int) -> None:
        self.tape, self.nbytes = tape, nbytes
        tape.live_bytes += nbytes
        tape.peak_bytes = max(tape.peak_bytes, tape.live_bytes)

    def __del__(self) -> None:
        self.tape.live_bytes -= self.nbytes


class Ghost(np.ndarray[Any, np.dtype[Any]]):
    """An array whose numbers do not matter."""

    tape: Tape
    memory: Memory

    def __array_finalize__(self, obj: Any) -> None:
        if isinstance(obj, Ghost):
            self.tape, self.memory = obj.tape, obj.memory

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] | None = None, **options: Any
    ) -> Any:
        first = np.shape(inputs[0])
        if ufunc is np.matmul:
            shape, operation = product(first, np.shape(inputs[1]))
        elif method == "__call__":
            shape = np.broadcast_shapes(*map(np.shape, inputs))
            operation = elementwise(KINDS.get(ufunc.__name__, "arithmetic"), shape, inputs, out)
        elif method == "reduce":
            shape = reduced(first, options.get("axis", 0), options.get("keepdims", False))
            operation = reduction("largest" if ufunc is np.maximum else "sum", first, shape)
        elif method == "reduceat":
            shape = (len(inputs[1]), *first[1:])
            operation = reduction("gather", first, shape)
        else:
            raise unknown_cost(f"np.{ufunc.__name__}.{method}")
        self.tape.operations[operation] += 1
        if out is not None and isinstance(out[0], Ghost):
            return out[0]
        return self.tape.ghost(
            shape, result_dtype(ufunc, inputs) if method == "__call__" else inputs[0].dtype
        )

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in FUNCTIONS:
            return FUNCTIONS[func](self.tape, *args, **kwargs)
        if func in OWN_CODE:
            return super().__array_function__(func, types, args, kwargs)
        raise unknown_cost(f"np.{func.__name__}")

    def __getitem__(self, index: Any) -> Any:
        if not looks_up(index):
            return super().__getitem__(index)
        return self.tape.gathered(*looked_up(self.shape, index), self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        if looks_up(index):
            self.tape.gathered(*looked_up(self.shape, index), self.dtype)
        else:
            shape = super().__getitem__(index).shape
            self.tape.operations[elementwise("copy", shape, (value,), (self,))] += 1

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        if np.dtype(dtype) == self.dtype and options.get("copy") is False:
            return self
        self.tape.operations[elementwise("copy", self.shape, (self,), None)] += 1
        return self.tape.ghost(self.shape, dtype)

    def copy(self, order: Any = "C") -> Any:
        return self.astype(self.dtype)

    def argmax(self, axis: Any = None, *args: Any, **options: Any) -> Any:
        shape = reduced(self.shape, axis, options.get("keepdims", False))
        self.tape.operations[reduction("largest", self.shape, shape)] += 1
        return self.tape.ghost(shape, np.int64)


def looks_up(index: Any) -> bool:
    """Whether rows are named by number, in which case NumPy makes an array and not a view."""
    return any(isinstance(i, np.ndarray) for i in (index if isinstance(index, tuple) else (index,)))


def looked_up(shape: Shape, index: Any) -> tuple[Shape, Shape]:
    """The shape of x[index] with arrays of row numbers for the first axes: places, and the row at each."""
    arrays = index if isinstance(index, tuple) else (index,)
    if not all(isinstance(i, np.ndarray) for i in arrays):
        raise unknown_cost("an index of arrays and slices")
    return np.broadcast_shapes(*map(np.shape, arrays)), shape[len(arrays) :]


def result_dtype(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> np.dtype[Any]:
    kinds = (x.dtype if isinstance(x, np.ndarray | np.generic) else type(x) for x in inputs)
    found: np.dtype[Any] = ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout))[-1]
    return found


def unknown_cost(what: str) -> TypeError:
    return TypeError(f"{what}: its cost is not known; teach it to profiling/ghosts.py")


def where(tape: Tape, condition: Any, x: Any, y: Any) -> Ghost:
    shape = np.broadcast_shapes(*map(np.shape, (condition, x, y)))
    tape.operations[elementwise("arithmetic", shape, (condition, x, y), None)] += 1
    return tape.ghost(shape, np.result_type(x, y))


def sorted_places(tape: Tape, x: Any, **options: Any) -> Ghost:
    tape.operations[reduction("sort", x.shape, ())] += 1
    return tape.ghost(x.shape, np.int64)


def distinct(tape: Tape, x: Any, **options: Any) -> tuple[Ghost, Ghost]:
    """As if no two were equal."""
    return sorted_places(tape, x), sorted_places(tape, x)


def taken(tape: Tape, x: Any, places: Any, axis: int) -> Ghost:
    return tape.gathered(np.shape(places), (), x.dtype)


def put(tape: Tape, x: Any, places: Any, values: Any, axis: int) -> None:
    tape.gathered(np.shape(places), (), x.dtype)


def alike(tape: Tape, x: Any, **options: Any) -> Ghost:
    return tape.ghost(options.get("shape", x.shape), options.get("dtype") or x.dtype)


def zeros(tape: Tape, x: Any, **options: Any) -> Ghost:
    made = alike(tape, x, **options)
    tape.operations[elementwise("copy", made.shape, (), None)] += 1
    return made


def counted(tape: Tape, places: Any, weights: Any, minlength: int) -> Ghost:
    tape.operations[reduction("gather", np.shape(places), np.shape(places))] += 1
    return tape.ghost((minlength,), np.float64)


def stacked(tape: Tape, arrays: list[Any]) -> Ghost:
    shape = (len(arrays), *arrays[0].shape)
    tape.operations[elementwise("copy", shape, (), None)] += 1
    return tape.ghost(shape, arrays[0].dtype)


def joined(tape: Tape, arrays: list[Any], axis: int = 0) -> Ghost:
    shape = list(arrays[0].shape)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    tape.operations[elementwise("copy", tuple(shape), (), None)] += 1
    return tape.ghost(tuple(shape), arrays[0].dtype)


def windowed(tape: Tape, x: Any, width: int, axis: int, **options: Any) -> Ghost:
    """A view: every window of an axis, as a further axis."""
    shape = list(x.shape)
    shape[axis] += 1 - width
    return as_strided(x, (*shape, width), (0,) * (x.ndim + 1), subok=True).view(Ghost)


def running_sum(tape: Tape, x: Any, axis: int, dtype: DTypeLike | None = None) -> Ghost:
    tape.operations[elementwise("arithmetic", x.shape, (x,), None)] += 1
    return tape.ghost(x.shape, np.result_type(x, np.int64) if dtype is None else dtype)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.cumsum: running_sum,
    sliding_window_view: windowed,
    np.where: where,
    np.argsort: sorted_places,
    np.unique: distinct,
    np.take_along_axis: taken,
    np.put_along_axis: put,
    np.empty_like: alike,
    np.zeros_like: zeros,
    np.bincount: counted,
    np.stack: stacked,
    np.concatenate: joined,
}
OWN_CODE = {
    np.swapaxes,
    np.moveaxis,
    np.broadcast_to,
    np.shape,
    np.size,
    np.result_type,
    np.clip,
    np.sum,
    np.max,
    np.mean,
}
"""NumPy's own code makes these of what a ghost can do."""
