"""Answers on their way: JSON, with the arrays behind it as they are in memory.

    n (4 bytes, little endian) | JSON in UTF-8, filled up with spaces (n bytes) | arrays, each at a multiple of 8 bytes

In the JSON an array is {"$array": {"dtype": "f32", "shape": [3, 4], "at": 0}}, `at` counted from the end of the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mini_bert.core.array import Array
from mini_bert.plain_json import portable

ARRAY = "$array"
DTYPES = {"f16": "<f2", "f32": "<f4", "f64": "<f8", "i32": "<i4", "u8": "|u1"}
ALIGNED = 8
DIGITS = 6


class Exact(NamedTuple):
    """An array whose numbers travel with all their digits."""

    array: Array


def exact(array: Any) -> Exact:
    return Exact(np.asarray(array))


def pack(answer: Mapping[str, Any]) -> bytes:
    buffers: list[bytes] = []
    size = 0

    def put(array: Array, keeps_digits: bool) -> dict[str, Any]:
        nonlocal size
        dtype = dtype_of(array, keeps_digits)
        raw = np.ascontiguousarray(array, DTYPES[dtype]).tobytes()
        at = size
        buffers.append(raw + bytes(-len(raw) % ALIGNED))
        size += len(buffers[-1])
        return {ARRAY: {"dtype": dtype, "shape": list(array.shape), "at": at}}

    header = as_text(plain(answer, put))
    header += b" " * (-(4 + len(header)) % ALIGNED)
    return b"".join([len(header).to_bytes(4, "little"), header, *buffers])


def unpack(packed: bytes) -> Any:
    """What `pack` packed, with arrays as arrays."""
    start = 4 + int.from_bytes(packed[:4], "little")

    def restored(found: dict[str, Any]) -> Any:
        if found.keys() != {ARRAY}:
            return found
        about = found[ARRAY]
        count = int(np.prod(about["shape"], dtype=int))
        flat = np.frombuffer(packed, DTYPES[about["dtype"]], count, start + about["at"])
        return flat.reshape(about["shape"])

    return json.loads(packed[4:start], object_hook=restored)


def as_json(answer: Mapping[str, Any]) -> bytes:
    """The same as plain JSON; numbers of arrays are rounded to six digits, unless they are exact."""

    def put(array: Array, keeps_digits: bool) -> Any:
        if array.dtype.kind != "f" or keeps_digits:
            return array.tolist()
        return rounded(array.astype(np.float64).tolist())

    return as_text(plain(answer, put))


def plain(value: Any, put: Any) -> Any:
    """What JSON can hold, with every array replaced by what `put(array, keeps_digits)` says of it."""
    if isinstance(value, Exact):
        return put(value.array, True)
    if isinstance(value, np.ndarray):
        return put(value, False)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): plain(item, put) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item, put) for item in value]
    return value


def dtype_of(array: Array, keeps_digits: bool) -> str:
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "f":
        return "f16" if size == 2 else "f64" if size == 8 and keeps_digits else "f32"
    if kind == "b" or array.dtype == np.uint8:
        return "u8"
    if kind not in "iu":
        raise TypeError(f"an array of {array.dtype} cannot travel; make it numbers, or a list of texts")
    limits = np.iinfo(np.int32)
    fits = array.size == 0 or (array.min() >= limits.min and array.max() <= limits.max)
    return "i32" if fits else "f64"


def rounded(numbers: Any) -> Any:
    if isinstance(numbers, list):
        return [rounded(number) for number in numbers]
    return float(f"{numbers:.{DIGITS}g}")


def as_text(value: Any) -> bytes:
    return json.dumps(portable(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
