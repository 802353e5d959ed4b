"""`mini-bert course hint`: a ladder of three."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.course_screen import (
    about_this,
    chosen_exercise,
    dir_option,
    name_argument,
    show_markdown,
    title_of,
    told_command,
)
from mini_bert.cli.screen import console
from mini_bert.course.folder import HINTS, CourseFolder
from mini_bert.course.page import page_of

EPILOG = """\b
Examples:
  mini-bert course hint
  mini-bert course hint softmax
"""


@click.command(epilog=EPILOG)
@name_argument
@dir_option
@click.option("--again", is_flag=True, help="Show those you have seen, and no new one.")
def command(name: str | None, folder: Path | None, again: bool) -> None:
    """Show a hint. The first one asks a question, the second gives the formula, the third is almost the code."""
    course = CourseFolder.found(folder)
    exercise = chosen_exercise(course, name)
    screen = console()
    seen = course.record(exercise).hints
    if again:
        if not seen:
            raise ValueError(f"no hint of {exercise.name} has been shown; leave --again out")
        shown = range(1, seen + 1)
    else:
        number = course.next_hint(exercise)
        shown = range(number, number + 1)
    for number in shown:
        screen.print(f"\n[bold]{escape(title_of(exercise))}, hint {number} of {HINTS}[/]\n")
        show_markdown(page_of(exercise).hint(number), exercise, screen)
    if number < HINTS:
        screen.print(
            f"The next one tells more: {escape(about_this(course, 'hint', exercise, folder))}", soft_wrap=True
        )
    elif not again:
        solution = told_command(course, f"solution {exercise.number} --show", folder)
        screen.print(f"This is the last one. Our solution: {escape(solution)}", soft_wrap=True)
