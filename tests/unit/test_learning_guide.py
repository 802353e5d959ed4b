"""The learning guide and the course belong together: every exercise is met on its day, and in its week."""

import re
from pathlib import Path

import pytest

from mini_bert.course.exercise import exercises
from mini_bert.course.page import page_of

PAGES = Path(__file__).parents[2] / "docs" / "learning"
ABOUT = {exercise.name: page_of(exercise).about for exercise in exercises()}
HEADS = ("**Goal.**", "**What you should see.**")


def sections(page, heading):
    """The text below each heading like "## Day 4: one head", by its number."""
    parts = re.split(rf"^## {heading} (\d+)\b.*$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.fixture(scope="module")
def days():
    return {
        day: text
        for phase in range(1, 7)
        for day, text in sections(PAGES / f"phase_{phase}.md", "Day").items()
    }


def linked(text):
    return re.findall(r"\[(\d\d_\w+)\]\(\.\./\.\./mini_bert/course/exercises/\1/page\.md\)", text)


def test_there_is_every_day_once_and_in_order(days):
    assert list(days) == list(range(1, 20))


def test_every_day_has_its_parts(days):
    for day, text in days.items():
        assert all(head in text for head in HEADS), day
        assert ">>>" in text, day


def test_a_day_names_its_exercises(days):
    for day, text in days.items():
        own = [name for name, about in ABOUT.items() if about.day == day]
        assert [name for name in linked(text) if ABOUT[name].day is not None] == own, day


def test_every_exercise_is_met_somewhere(days):
    assert {name for text in days.values() for name in linked(text)} == set(ABOUT)


def test_answers_are_folded_and_closed(days):
    for day, text in days.items():
        assert text.count("<details><summary>") == text.count("</details>"), day


def test_the_roadmap_keeps_the_weeks_of_the_course():
    weeks = sections(PAGES / "roadmap.md", "Week")
    assert list(weeks) == list(range(1, 9))
    for week, text in weeks.items():
        named = [name for name in re.findall(r"\b\d\d_[a-z_]+\b", text) if name in ABOUT]
        own = [name for name, about in ABOUT.items() if about.week == week]
        assert named, week
        if own:
            assert (named[0], named[-1]) == (own[0], own[-1]), week
