"""What we write as TensorBoard events, as TensorBoard itself reads it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mini_bert.training import tensorboard
from mini_bert.training.tensorboard import EventFile, flattened

pytest.importorskip("tensorboard", reason="TensorBoard is not installed (extra: parity)")
of_scalars = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
of_tensors = pytest.importorskip("tensorboard.backend.event_processing.plugin_event_accumulator")
tensor_util = pytest.importorskip("tensorboard.util.tensor_util")

Curve = list[tuple[int, float]]


def read(folder: Path) -> Any:
    return of_scalars.EventAccumulator(str(folder), size_guidance={of_scalars.SCALARS: 0}).Reload()


def curve(folder: Path, tag: str) -> Curve:
    """As scripts read it."""
    return [(point.step, point.value) for point in read(folder).Scalars(tag)]


def curve_on_the_screen(folder: Path, tag: str) -> Curve:
    """As the web application reads it, which has another way with resumed runs."""
    found = of_tensors.EventAccumulator(str(folder), size_guidance={of_tensors.TENSORS: 0}).Reload()
    return [(point.step, float(tensor_util.make_ndarray(point.tensor_proto))) for point in found.Tensors(tag)]


def test_scalars(tmp_path: Path) -> None:
    with EventFile(tmp_path) as events:
        for step in range(1, 301):
            events.scalars(step, {"loss": 1 / step, "layers/head": step}, wall_time=1000.0 + step)
    found = read(tmp_path)
    assert sorted(found.Tags()["scalars"]) == ["layers/head", "loss"]
    expected = [(1000.0 + step, step, np.float32(1 / step)) for step in range(1, 301)]
    assert [(point.wall_time, point.step, point.value) for point in found.Scalars("loss")] == expected
    assert found.FirstEventTimestamp() > 0


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    with EventFile(tmp_path) as events:
        for step, value in enumerate((inf, -inf, 1e300, nan)):
            events.scalars(step, {"loss": value})
    *others, (_, last) = curve(tmp_path, "loss")
    assert others == [(0, inf), (1, -inf), (2, inf)]
    assert isnan(last)


def test_a_line_of_metrics(tmp_path: Path) -> None:
    line = {"step": 50, "loss": 6.5, "inspection": {"attention_entropy": [[1.0], [2.0]], "dead_units": None}}
    with EventFile(tmp_path) as events:
        events.scalars(50, flattened(line))
    assert sorted(read(tmp_path).Tags()["scalars"]) == [
        "attention_entropy/0/0",
        "attention_entropy/1/0",
        "loss",
    ]
    assert curve(tmp_path, "attention_entropy/1/0") == [(50, 2.0)]


def written_and_resumed(folder: Path, *, cut: int = 0) -> None:
    """Ten steps, the last bytes of which are lost; then steps 7 to 9 once more, with other values."""
    with EventFile(folder) as events:
        for step in range(1, 11):
            events.scalars(step, {"loss": float(step)})
    events.path.write_bytes(events.path.read_bytes()[: -cut or None])
    with EventFile(folder, resumed_at=6) as events:
        for step in range(7, 10):
            events.scalars(step, {"loss": 100.0 + step})


both_readers = pytest.mark.parametrize("shown", [curve, curve_on_the_screen])


@both_readers
@pytest.mark.parametrize("cut", [0, 1, 20])
def test_a_resumed_run_shows_each_step_once(tmp_path: Path, shown: Callable[..., Curve], cut: int) -> None:
    """Also where the run was killed in the middle of a record."""
    written_and_resumed(tmp_path, cut=cut)
    before, after = (
        [(step, float(step)) for step in range(1, 7)],
        [(step, 100.0 + step) for step in (7, 8, 9)],
    )
    assert shown(tmp_path, "loss") == before + after


@both_readers
def test_without_the_mark_it_would_not(
    tmp_path: Path, shown: Callable[..., Curve], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensorboard, "SESSION_START", 2)
    written_and_resumed(tmp_path)
    assert [step for step, _ in shown(tmp_path, "loss")] == [*range(1, 11), 7, 8, 9]


@both_readers
def test_a_run_that_starts_over_shows_nothing_of_before(tmp_path: Path, shown: Callable[..., Curve]) -> None:
    for value in (1.0, 2.0):
        with EventFile(tmp_path) as events:
            events.scalars(1, {"loss": value})
    assert shown(tmp_path, "loss") == [(1, 2.0)]
