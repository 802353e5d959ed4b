"""TensorBoard events, read back by a reader that knows only the format, not our code."""

from __future__ import annotations

import doctest
import struct
from collections.abc import Iterator
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.training import tensorboard
from mini_bert.training.tensorboard import EventFile, crc32c, file_name, flattened, varint

INSPECTED = {
    "step": 50,
    "loss": 6.5,
    "epoch": 0,
    "held_out_loss": None,
    "inspection": {
        "layers": {"encoder.layers.0": {"gradient_norm": 0.5, "update_ratio": 1e-3}, "head": {}},
        "attention_entropy": [[1.0, 2.0], [3.0, 4.0]],
        "most_entropy": np.float32(4.0),
        "dead_units": None,
        "resident_bytes": 2**40,
    },
}


def test_docstring_examples() -> None:
    result = doctest.testmod(tensorboard)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),  # this and the next three: RFC 3720, B.4
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_checksums_are_those_of_the_books(content: bytes, expected: int) -> None:
    assert crc32c(content) == expected


def checksum_bit_by_bit(content: bytes) -> int:
    """As the definition has it, without a table."""
    rest = 0xFFFFFFFF
    for byte in content:
        for bit in range(8):
            odd = (rest ^ byte >> bit) & 1
            rest = rest >> 1 ^ 0x82F63B78 * odd
    return rest ^ 0xFFFFFFFF


@given(st.binary())
def test_checksums_are_those_of_the_definition(content: bytes) -> None:
    assert crc32c(content) == checksum_bit_by_bit(content)


def records(path: Path) -> Iterator[bytes]:
    """Every message of the file, its length and checksums verified."""

    def masked(content: bytes) -> int:
        plain = checksum_bit_by_bit(content)
        return ((plain >> 15 | plain << 17) % 2**32 + 0xA282EAD8) % 2**32

    rest = path.read_bytes()
    while rest:
        length, of_length = struct.unpack_from("<QI", rest)
        assert of_length == masked(rest[:8])
        message = rest[12 : 12 + length]
        assert struct.unpack_from("<I", rest, 12 + length) == (masked(message),)
        yield message
        rest = rest[16 + length :]


def taken_varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (message[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if message[place - 1] < 128:
            return value, place


def fields(message: bytes) -> list[tuple[int, Any]]:
    """The fields of a protobuf message: number and value."""
    found: list[tuple[int, Any]] = []
    place = 0
    while place < len(message):
        key, place = taken_varint(message, place)
        if key & 7 == 0:
            value, place = taken_varint(message, place)
            found.append((key >> 3, value))
        else:
            size, place = (8 if key & 7 == 1 else 4, place) if key & 7 != 2 else taken_varint(message, place)
            found.append((key >> 3, message[place : place + size]))
            place += size
    assert place == len(message)
    return found


def scalars(message: bytes) -> tuple[int, dict[str, float]]:
    event = dict(fields(message))
    values = [dict(fields(value)) for number, value in fields(event[5]) if number == 1]
    return event[2], {value[1].decode(): struct.unpack("<f", value[2])[0] for value in values}


def test_the_file_begins_with_its_version_and_the_first_step(tmp_path: Path) -> None:
    with EventFile(tmp_path / "new" / "folder") as events:
        path = events.path
    assert path.parent == tmp_path / "new" / "folder"
    version, start = map(dict, map(fields, records(path)))
    assert version[3] == b"brain.Event:2"
    assert start[2] == 1
    assert fields(start[7]) == [(1, 1)]


def test_scalars_are_read_back(tmp_path: Path) -> None:
    with EventFile(tmp_path) as events:
        events.scalars(1, {"loss": 1.5, "naïve/ζ": -2.0}, wall_time=1234.5)
        events.scalars(2**40, {"loss": 0.25})
    _, _, first, second = records(events.path)
    assert struct.unpack("<d", dict(fields(first))[1]) == (1234.5,)
    assert scalars(first) == (1, {"loss": 1.5, "naïve/ζ": -2.0})
    assert scalars(second) == (2**40, {"loss": 0.25})


def test_numbers_are_single_precision_finite_or_not(tmp_path: Path) -> None:
    with EventFile(tmp_path) as events:
        events.scalars(1, {"third": 1 / 3, "much": inf, "less": -inf, "none": nan, "perplexity": 1e300})
    *_, message = records(events.path)
    _, found = scalars(message)
    assert isnan(found.pop("none"))
    assert found == {"third": np.float32(1 / 3), "much": inf, "less": -inf, "perplexity": inf}


def test_every_call_reaches_the_file_at_once(tmp_path: Path) -> None:
    with EventFile(tmp_path) as events:
        for step in range(1, 4):
            events.scalars(step, {"loss": 1.0})
            assert len(list(records(events.path))) == 2 + step


def test_a_run_that_goes_on_takes_back_the_steps_after(tmp_path: Path) -> None:
    with EventFile(tmp_path, resumed_at=20) as events:
        events.scalars(21, {"loss": 1.0})
    _, start, _ = map(dict, map(fields, records(events.path)))
    assert start[2] == 21
    assert fields(start[7]) == [(1, 1)]


def test_files_of_one_folder_are_in_the_order_they_were_opened(tmp_path: Path) -> None:
    opened = []
    for _ in range(5):
        with EventFile(tmp_path) as events:
            opened.append(events.path.name)
    assert sorted(path.name for path in tmp_path.iterdir()) == opened
    assert file_name(999_999_999) < file_name(10**9) < file_name(10**9 + 1) < file_name(10 * 10**9)


def test_names_hold_nothing_that_a_file_system_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "anna's/pc:ü.local")
    assert "anna_s_pc___local" in file_name(0)


def test_metrics_are_flattened_and_an_inspection_stands_among_them() -> None:
    assert flattened(INSPECTED) == {
        "loss": 6.5,
        "epoch": 0.0,
        "layers/encoder.layers.0/gradient_norm": 0.5,
        "layers/encoder.layers.0/update_ratio": 1e-3,
        "attention_entropy/0/0": 1.0,
        "attention_entropy/0/1": 2.0,
        "attention_entropy/1/0": 3.0,
        "attention_entropy/1/1": 4.0,
        "most_entropy": 4.0,
        "resident_bytes": 2.0**40,
    }


@given(st.integers(0, 2**63 - 1))
def test_whole_numbers_are_read_back(value: int) -> None:
    encoded = varint(value)
    assert taken_varint(encoded, 0) == (value, len(encoded))
