"""Schedules: where they start and end, and that nothing jumps or turns back between."""

import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mini_bert.training.schedules import BatchRamp, Kind, MaskingSchedule, Schedule

KINDS = get_args(Kind)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
shares = st.floats(0, 1)


@st.composite
def schedules(draw):
    warmup = draw(st.floats(0, 0.9))
    cooldown = draw(st.floats(0, 1 - warmup)) if draw(st.booleans()) else 0.0
    return Schedule(draw(st.sampled_from(KINDS)), warmup, draw(shares), min(cooldown, 0.99 - warmup))


@given(schedules(), st.floats(-1, 2))
def test_factors_are_between_0_and_1(schedule, done):
    assert 0 <= schedule(done) <= 1


@given(schedules(), shares, shares)
def test_up_in_the_warm_up_and_never_up_again(schedule, one, other):
    early, late = sorted((one, other))
    if late < schedule.warmup:
        assert schedule(early) <= schedule(late) + 1e-12
    if early >= schedule.warmup:
        assert schedule(early) >= schedule(late) - 1e-12


@given(schedules(), shares)
def test_nothing_jumps(schedule, done):
    """A change of 1e-9 of training moves the factor by less than 1e-6 wherever no phase is shorter than 1e-2."""
    phases = (schedule.warmup, schedule.cooldown)
    if all(phase == 0 or phase > 1e-2 for phase in phases) and done + 1e-9 <= 1:
        assert abs(schedule(done + 1e-9) - schedule(done)) < 1e-6


@EVERY_KIND
@pytest.mark.parametrize("warmup", [0.0, 0.1, 0.5])
def test_the_peak_is_1_at_the_end_of_the_warm_up(kind, warmup):
    assert Schedule(kind, warmup)(warmup) == 1


@pytest.mark.parametrize("kind", ["linear", "triangle", "cosine", "one-cycle"])
def test_falling_kinds_end_at_the_floor(kind):
    assert Schedule(kind, 0.2, floor=0.1)(1) == pytest.approx(0.1)
    assert Schedule(kind, 0.2, floor=0.1)(7) == pytest.approx(0.1)


def test_values_by_hand():
    assert Schedule("linear", 0.2)(0.05) == pytest.approx(0.25)
    assert Schedule("linear", 0.2)(0.4) == pytest.approx(0.75)
    assert Schedule("linear", 0.2, floor=0.2)(0.4) == pytest.approx(0.8)
    assert Schedule("cosine", 0.2)(0.4) == pytest.approx((1 + math.cos(math.pi / 4)) / 2)
    assert Schedule("triangle", 0.5, floor=0.1)(0.0) == pytest.approx(0.1)
    assert Schedule("triangle", 0.5, floor=0.1)(0.25) == Schedule("triangle", 0.5, floor=0.1)(0.75)
    assert Schedule("one-cycle", 0.3)(0.0) == pytest.approx(1 / 25)
    assert Schedule("inverse-sqrt", 0.04)(0.64) == pytest.approx(math.sqrt(0.04 / 0.64))
    assert Schedule("inverse-sqrt", 0)(0.99) == pytest.approx(0.1)
    assert Schedule("constant", 0.1)(0.9) == Schedule("constant", 0.1)(1) == 1
    assert Schedule("constant", 0.1, floor=0.5, cooldown=0.2)(0.9) == pytest.approx(0.75)
    assert Schedule("inverse-sqrt", 0.1, cooldown=0.2)(1) == 0


@pytest.mark.parametrize("warmup", [0.1, 0.3, 0.9])
def test_warm_up_and_cool_down_may_fill_all_of_training(warmup):
    assert Schedule("constant", warmup, cooldown=1 - warmup)(1) == 0
    assert Schedule("constant", 0.9, cooldown=0.1)(1) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "cosin"}, "did you mean 'cosine'"),
        ({"warmup": 1}, "warmup=1"),
        ({"floor": 2}, "floor=2"),
        ({"warmup": 0.4, "cooldown": 0.7}, "from 0 to 0.6"),
    ],
)
def test_impossible_schedules_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Schedule(**settings)


@given(st.integers(1, 9), st.integers(1, 20), st.integers(1, 20), shares, shares, shares)
def test_batches_grow_in_whole_micro_batches(micro, first, last, until, one, other):
    first, last = sorted((micro * first, micro * last))
    ramp = BatchRamp(first, last, until, micro)
    early, late = sorted((one, other))
    assert first <= ramp(early) <= ramp(late) <= last
    assert ramp(one) % micro == 0
    assert ramp(until) == ramp(1) == last
    assert until == 0 or ramp(0) == first


def test_batch_ramp_by_hand():
    ramp = BatchRamp(8, 32, until=0.5, micro_batch=8)
    assert [ramp(done) for done in (0, 0.08, 0.09, 0.25, 0.42, 0.5, 0.9)] == [8, 8, 16, 16, 32, 32, 32]


@pytest.mark.parametrize("sizes", [(0, 8), (8, 12)])
def test_batches_of_broken_micro_batches_are_refused(sizes):
    with pytest.raises(ValueError, match="multiple of the micro-batch, 8"):
        BatchRamp(*sizes, micro_batch=8)


def test_masking_falls_in_a_straight_line():
    masking = MaskingSchedule()
    assert [masking(done) for done in (-1, 0, 0.5, 1, 2)] == pytest.approx([0.3, 0.3, 0.225, 0.15, 0.15])
    with pytest.raises(ValueError, match="end=0"):
        MaskingSchedule(end=0)
