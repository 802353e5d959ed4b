"""Shares as bars, in terminals of any width."""

import io

import pytest
from rich.console import Console

from mini_bert.cli.bars import LONGEST_BAR, LONGEST_NAME, bars

SHARES = [("door", 0.32), ("window", 0.0004)]


def shown(shares, room):
    screen = Console(file=io.StringIO(), width=room)
    screen.print(bars(shares, room))
    return [line.rstrip() for line in screen.file.getvalue().splitlines()]


@pytest.mark.parametrize("room", [16, 17, 18, 19, 30, 80, 200])
def test_names_and_numbers_are_whole_in_every_width(room):
    for (name, _), percent, line in zip(SHARES, ["32.0 %", "0.0 %"], shown(SHARES, room), strict=True):
        assert line.split()[0] == name
        assert line.endswith(f" {percent}")
        assert len(line) <= room


def test_the_bar_has_the_room_that_is_left():
    first, _ = shown([("sure", 1.0), ("no", 0.0)], 30)
    assert first == f"sure  {'█' * (30 - 4 - 2 - 2 - 7)}  100.0 %"
    first, _ = shown([("sure", 1.0), ("no", 0.0)], 200)
    assert first.count("█") == LONGEST_BAR


@pytest.mark.parametrize("long", ["a-label-of-twentyfour-xx", "日本語日本語"])
@pytest.mark.parametrize("room", range(12, 40))
def test_numbers_are_never_cut(long, room):
    first, second = shown([(long, 1.0), ("b", 0.001)], room)
    assert first.endswith("100.0 %")
    assert second.endswith(" 0.1 %")
    assert first[0] == long[0]


def test_a_name_that_is_too_long_is_shortened():
    (line,) = shown([("x" * (LONGEST_NAME + 1), 0.5)], 80)
    assert line.startswith("x" * (LONGEST_NAME - 1) + "…  ")
