"""What commands show: tables in narrow terminals, progress, counts, portable JSON."""

import io
import json
import re

import pytest
from rich.console import Console

from mini_bert.cli import progress as shown_progress
from mini_bert.cli.screen import print_json, table
from mini_bert.errors import counted

WORDS = ["snow", "is", "white"]


def lines(width: int) -> list[str]:
    made = table("Words", "word", "id", "about", "count", shortened=["about"])
    for number, word in enumerate(WORDS):
        made.add_row(word, str(number), "x" * 60, "1,234,567")
    screen = Console(file=io.StringIO(), width=width)
    screen.print(made)
    assert isinstance(screen.file, io.StringIO)
    return screen.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [10, 20, 30, 40, 60, 100])
def test_the_first_column_never_disappears_and_numbers_are_whole(width: int) -> None:
    found = lines(width)
    assert max(map(len, found)) <= width
    rows = [line.split() for line in found if line.split() and line.split()[0] in WORDS]
    assert [row[0] for row in rows] == WORDS
    assert {word for row in rows for word in row if "," in word} <= {"1,234,567"}


def test_a_column_is_shortened_before_another_is_left_out() -> None:
    whole, shorter, shortest, without = lines(100), lines(60), lines(40), lines(34)
    assert "x" * 60 in whole[-2]
    for found in (shorter, shortest):
        assert re.search(r"white +2 +x{7,}… +1,234,567", "\n".join(found))
    assert "1,234,567" not in "\n".join(without)
    assert "no room here for: count" in "\n".join(without)
    assert "no room" not in "\n".join([*whole, *shorter, *shortest])


def test_time_left_is_told_when_it_can_be_known() -> None:
    screen = Console(file=io.StringIO(), width=100)
    report = shown_progress.plain_lines("preparing", screen)
    report(0.0, "reading")
    report(0.0001, "reading")
    report(0.5, "reading")
    assert isinstance(screen.file, io.StringIO)
    first, second, third = screen.file.getvalue().splitlines()
    assert first == second == "preparing   0%  reading"
    assert third == "preparing  50%  0:00 left  reading"


def test_what_was_done_before_does_not_shorten_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 60.0, 120.0])
    monkeypatch.setattr(shown_progress, "perf_counter", lambda: next(times))
    screen = Console(file=io.StringIO(), width=100)
    report = shown_progress.plain_lines("training", screen, begun=0.5)
    report(0.501, "step 1")
    report(0.6, "step 2")
    report(0.7, "step 3")
    assert isinstance(screen.file, io.StringIO)
    assert screen.file.getvalue().splitlines() == [
        "training  50%  step 1",
        "training  60%  4:00 left  step 2",
        "training  70%  3:00 left  step 3",
    ]


def test_a_narrow_bar_keeps_the_percentage() -> None:
    screen = Console(file=io.StringIO(), width=30, force_terminal=True)
    with shown_progress.live_bar("Learning", screen) as report:
        report(0.42, "12,345 different words, and many more")
    assert isinstance(screen.file, io.StringIO)
    assert re.search(r"Learning.*42 %", screen.file.getvalue())


def test_one_is_not_many() -> None:
    assert [counted(n, "word") for n in (0, 1, 2, 1200)] == ["0 words", "1 word", "2 words", "1,200 words"]


def test_json_has_no_halves_of_characters_and_no_infinity(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"\udcff": ["a\ud83d", float("inf"), "❄"]})
    assert json.loads(capsys.readouterr().out) == {"\ufffd": ["a\ufffd", None, "❄"]}
