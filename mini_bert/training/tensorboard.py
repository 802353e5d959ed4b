"""Metrics as TensorBoard reads them, written without TensorBoard: a file of records, each a protobuf message.

A record is the length of its message, a checksum of the length, the message, and a checksum of the message; a
message is a row of fields, each with its number. What we write of them:

    Event      { 1: wall_time, 2: step, 3: file_version | 5: Summary | 7: SessionLog }
    Summary    { 1: Value, 1: Value, ... }
    Value      { 1: tag, 2: simple_value }
    SessionLog { 1: status }
"""

from __future__ import annotations

import os
import re
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

FILE_VERSION = b"brain.Event:2"
VARINT, EIGHT_BYTES, COUNTED_BYTES, FOUR_BYTES = 0, 1, 2, 5
SESSION_START = 1


class EventFile:
    """A file of scalars in a folder that TensorBoard watches; what was written is on its way to the disk at once.

    A run that goes on says which step it had reached: readers then drop what earlier files of the folder say of
    later steps.
    """

    def __init__(self, folder: Path, resumed_at: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = (folder / file_name(time.time_ns())).open("xb")
        self.write(event(time.time(), 0, counted(3, FILE_VERSION)))
        # Readers drop the step of this message too, so it is the first that is still to be done. A new run has the
        # message as well, because some readers take only the second one for a resumption.
        self.write(event(time.time(), resumed_at + 1, counted(7, number(1, SESSION_START))))

    @property
    def path(self) -> Path:
        return Path(self.file.name)

    def scalars(self, step: int, values: Mapping[str, float], wall_time: float | None = None) -> None:
        """One number per tag at this step; `wall_time`, in seconds since 1970, is now unless told."""
        summary = b"".join(counted(1, scalar(tag, value)) for tag, value in values.items())
        self.write(event(time.time() if wall_time is None else wall_time, step, counted(5, summary)))

    def write(self, message: bytes) -> None:
        self.file.write(record(message))
        self.file.flush()

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> EventFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def file_name(nanoseconds: int) -> str:
    """Readers take the files of a folder in the order of their names, so a name begins with the time.

    >>> file_name(1_700_000_000_000_000_042)[:41]
    'events.out.tfevents.1700000000.000000042.'
    """
    seconds, rest = divmod(nanoseconds, 10**9)
    host = re.sub(r"[^\w-]", "_", socket.gethostname(), flags=re.ASCII)
    return f"events.out.tfevents.{seconds:010}.{rest:09}.{host}.{os.getpid()}"


def flattened(metrics: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a line of metrics.jsonl, each under a tag of its own; the step itself is none of them.

    An inspection stands among the rest, so that TensorBoard shows each kind of it in a group.

    >>> flattened({"step": 50, "loss": 6.5, "inspection": {"attention_entropy": [[1.5, 2.0]], "dead_units": None}})
    {'loss': 6.5, 'attention_entropy/0/0': 1.5, 'attention_entropy/0/1': 2.0}
    """
    plain = {name: value for name, value in metrics.items() if name not in ("step", "inspection")}
    return dict(numbers_in({**plain, **metrics.get("inspection", {})}))


def numbers_in(value: Any, tag: str = "") -> Iterator[tuple[str, float]]:
    """Every number below here, with the way to it."""
    if isinstance(value, Real):
        yield tag, float(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from numbers_in(inner, f"{tag}/{name}" if tag else str(name))
    elif isinstance(value, list | tuple):
        yield from numbers_in(dict(enumerate(value)), tag)


def event(wall_time: float, step: int, content: bytes) -> bytes:
    return key(1, EIGHT_BYTES) + struct.pack("<d", wall_time) + number(2, step) + content


def scalar(tag: str, value: float) -> bytes:
    with np.errstate(over="ignore"):
        single = np.array(value, "<f4")  # too large a number is infinite in float32, not an error
    return counted(1, tag.encode()) + key(2, FOUR_BYTES) + single.tobytes()


def counted(field: int, content: bytes) -> bytes:
    return key(field, COUNTED_BYTES) + varint(len(content)) + content


def number(field: int, value: int) -> bytes:
    return key(field, VARINT) + varint(value)


def key(field: int, kind: int) -> bytes:
    return varint(field << 3 | kind)


def varint(value: int) -> bytes:
    """Seven bits per byte, the lowest first; the eighth says that more follow.

    >>> varint(300).hex()
    'ac02'
    """
    assert value >= 0
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


def record(message: bytes) -> bytes:
    length = struct.pack("<Q", len(message))
    return length + masked_checksum(length) + message + masked_checksum(message)


def masked_checksum(content: bytes) -> bytes:
    """The checksum, turned and shifted: the checksum of bytes that hold their own checksum would say little."""
    plain = crc32c(content)
    turned = plain >> 15 | plain << 17
    return struct.pack("<I", (turned + 0xA282EAD8) & 0xFFFFFFFF)


def crc32c(content: bytes) -> int:
    """The remainder of the bytes, as a polynomial over GF(2), by Castagnoli's polynomial.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    rest = 0xFFFFFFFF
    for byte in content:
        rest = rest >> 8 ^ REMAINDERS[(rest ^ byte) & 255]
    return rest ^ 0xFFFFFFFF


def remainder(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


REMAINDERS = tuple(map(remainder, range(256)))
