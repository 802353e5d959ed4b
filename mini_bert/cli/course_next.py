"""`mini-bert course next`: the page of the next exercise."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from mini_bert.cli.course_screen import (
    about_this,
    chosen_exercise,
    dir_option,
    name_argument,
    show_heading,
    show_markdown,
    told_command,
)
from mini_bert.cli.screen import console
from mini_bert.course.exercise import exercises
from mini_bert.course.folder import CourseFolder
from mini_bert.course.page import IDEA, TASK, page_of

EPILOG = """\b
Examples:
  mini-bert course next
  mini-bert course next softmax      # the page of another exercise
"""


@click.command(epilog=EPILOG)
@name_argument
@dir_option
def command(name: str | None, folder: Path | None) -> None:
    """Read the next exercise that you have not passed, or the one you name: its idea, its task, its file."""
    course = CourseFolder.found(folder)
    screen = console()
    if name is None and course.next() is None:
        screen.print(f"[bold green]All {len(exercises())} exercises are passed.[/]")
        screen.print(f"Look back with: {told_command(course, 'list', folder)}", soft_wrap=True)
        return
    exercise = chosen_exercise(course, name)
    course.start(exercise)
    page = page_of(exercise)
    show_heading(exercise, screen)
    show_markdown(page.sections[IDEA], exercise, screen)
    screen.print(f"[bold]{TASK}[/]\n")
    show_markdown(page.sections[TASK], exercise, screen)
    screen.print(f"[bold]Edit[/]   {escape(str(course.file(exercise)))}", soft_wrap=True)
    for told, verb in (("Check", "check"), ("Stuck", "hint")):
        command = escape(about_this(course, verb, exercise, folder))
        screen.print(f"[bold]{told}[/]  {command}", soft_wrap=True)
