"""`mini-bert course solution`: how we wrote it."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape
from rich.syntax import Syntax

from mini_bert.cli.course_screen import (
    chosen_exercise,
    dir_option,
    name_argument,
    show_markdown,
    title_of,
    told_command,
)
from mini_bert.cli.screen import console
from mini_bert.course.exercise import Exercise, exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.course.gaps import without_marks
from mini_bert.course.page import AFTERWARDS, page_of
from mini_bert.course.progress import Progress

EPILOG = """\b
Examples:
  mini-bert course solution             # of the exercise you passed last
  mini-bert course solution softmax
  mini-bert course solution softmax --show
"""


@click.command(epilog=EPILOG)
@name_argument
@dir_option
@click.option("--show", is_flag=True, help="Show it although the exercise is not passed.")
def command(name: str | None, folder: Path | None, show: bool) -> None:
    """Show our solution and what to take with you, after you have passed, or on request."""
    course = CourseFolder.found(folder)
    exercise = chosen_exercise(course, name) if name is not None or show else last_passed(course)
    if not course.record(exercise).passes:
        if not show:
            asked = told_command(course, f"solution {exercise.number} --show", folder)
            raise ValueError(f"{exercise.name}: not passed yet; to see the solution all the same: {asked}")
        course.mark_solution_seen(exercise)
    screen = console()
    screen.print(f"\n[bold]{escape(title_of(exercise))}[/]\n")
    code = without_marks(exercise.solution, exercise.name)
    screen.print(Syntax(code, "python", theme="ansi_light", word_wrap=True, background_color="default"))
    show_markdown(page_of(exercise).sections[AFTERWARDS], exercise, screen)


def last_passed(course: CourseFolder) -> Exercise:
    progress = Progress.read(course.path)
    passed = [one for one in exercises() if progress.of(one.name).passes]
    if not passed:
        raise ValueError("no exercise is passed yet; name one, with --show to see it all the same")
    return max(passed, key=lambda one: (progress.of(one.name).passed or "", one.number))
